import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { locateBrowser } from '../../../src/environments/browser/launch/locate.ts';
import { findKubernetes } from '../../../src/placement/kubernetes/find.ts';
import { lanesInKubernetes } from '../../../src/placement/kubernetes/placement.ts';
import type { Placement } from '../../../src/placement/placement.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import type { RunRecord } from '../../../src/traces/trace.ts';
import { needsLinux } from '../../systems.ts';
import { call, task, temporaryFolder } from '../../unit/runs/tasks.ts';
import { dist } from '../programs.ts';

const program = join(import.meta.dirname, 'kubectl.mjs');
let cluster = '';
let folder = '';

beforeEach(async () => {
  [cluster, folder] = [await temporaryFolder(), await temporaryFolder()];
  const bin = await temporaryFolder();
  await writeFile(join(bin, 'kubectl'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  await chmod(join(bin, 'kubectl'), 0o755);
  const found = await locateBrowser({ version: false });
  vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH']}`);
  vi.stubEnv('STAND_IN_FOLDER', cluster);
  vi.stubEnv('STAND_IN_DIST', dist);
  // Lanes have a home of their own, where no browser is.
  if ('found' in found) vi.stubEnv('TASKWRIGHT_BROWSER', found.found.path);
  onTestFinished(() => void vi.unstubAllEnvs());
});

function lanes(): Placement {
  const options = { lanes: 2, limits: {}, namespace: 'tests', log: () => {} };
  const placement = lanesInKubernetes(options, async () => 'registry.example.com/me/taskwright-browser@sha256:0');
  onTestFinished(() => placement.dispose());
  return placement;
}

function run(placement: Placement, text: string): Promise<RunRecord> {
  const shown = task({
    file: join(folder, 'hello.task.json'),
    prompt: 'Do nothing.',
    env: { type: 'hud-browser' },
    initial_state: { html: '<p>Hello Ada</p>' },
    evaluate: [call('page_contains', [text])],
  });
  const plan = {
    task: shown,
    agent: 'noop',
    seed: 0,
    jobId: 'job',
    groupId: 'g',
    out: join(folder, 'out'),
    cwd: folder,
  };
  return runTask(plan, placement, () => {}, new AbortController().signal);
}

/** The objects of the cluster. */
async function objects(): Promise<string[]> {
  return (await readdir(cluster)).filter((name) => name.endsWith('.json')).map((name) => name.split('.')[0] ?? '');
}

// The stand-in is a shell script.
describe.skipIf(needsLinux('lanes in Kubernetes'))('lanes in Kubernetes', () => {
  test('make runs one after the other, and leave nothing', async () => {
    const placement = lanes();

    const first = await Promise.all([run(placement, 'Hello Ada'), run(placement, 'Hello Bob')]);
    const servers = placement.running();
    const second = await run(placement, 'Hello Ada');

    expect(first).toMatchObject([
      { status: 'completed', reward: 1 },
      { status: 'completed', reward: 0 },
    ]);
    expect(second).toMatchObject({ status: 'completed', reward: 1 });
    // They go on with the servers that they have.
    expect(servers).toHaveLength(2);
    expect(placement.running().every((server, index) => server === servers[index])).toBe(true);
    expect((await objects()).sort()).toEqual([
      ...['job', 'job', 'networkpolicy', 'networkpolicy'],
      ...['pod', 'pod', 'pod', 'secret'],
    ]);

    await placement.dispose();

    expect(await objects()).toEqual([]);
    const calls = (await readFile(join(cluster, 'calls.log'), 'utf8')).trim().split('\n');
    expect(calls.every((one) => JSON.parse(one)[0] === '--namespace=tests')).toBe(true);
  });

  test('are not started where that is forbidden', async () => {
    vi.stubEnv(
      'STAND_IN_REFUSAL',
      'Error from server (Forbidden): jobs.batch is forbidden: User "me" cannot create it',
    );

    const { error } = await run(lanes(), 'Hello Ada');

    expect(error).toMatchObject({
      code: 'container_create_failed',
      message: expect.stringMatching(/jobs\.batch is forbidden.*docs\/kubernetes\.md/),
    });
  });
});

describe('the search for a cluster', () => {
  const found = { found: true, context: 'dev', version: '1.31.2' };
  const nodes = { nodes: 3, ready: 2, room: { cpus: 7.92, memory: 16 * 1024 ** 3, containers: null } };

  test('tells its version, its room, and the namespace, and creates nothing', async () => {
    expect(await findKubernetes(null)).toEqual({ ...found, namespace: 'default', nodes, problem: null });
    expect(await findKubernetes('evals')).toEqual({ ...found, namespace: 'evals', nodes, problem: null });
    expect(await objects()).toEqual([]);
  });

  test('tells what the user may not do', async () => {
    vi.stubEnv('STAND_IN_DENIED', 'create jobs,create pods/attach');
    const denied =
      'You may not create jobs, create pods/attach in the namespace evals. docs/kubernetes.md lists the permissions that lanes need';
    expect(await findKubernetes('evals')).toEqual({ ...found, namespace: 'evals', nodes, problem: denied });
  });

  test('does without permission to list nodes', async () => {
    vi.stubEnv('STAND_IN_DENIED', 'list nodes');
    expect(await findKubernetes('evals')).toEqual({ ...found, namespace: 'evals', nodes: null, problem: null });
  });

  test('tells that the cluster is too old', async () => {
    vi.stubEnv('STAND_IN_MINOR', '28');
    expect(await findKubernetes(null)).toMatchObject({ problem: 'Lanes need Kubernetes 1.29 or newer' });
  });

  test('tells that the cluster does not answer', async () => {
    vi.stubEnv('STAND_IN_REFUSAL', 'The connection to the server 127.0.0.1:6443 was refused');
    expect(await findKubernetes(null)).toEqual({
      found: false,
      message: expect.stringMatching(/cluster cannot be used: The connection to the server .* was refused/),
    });
  });
});
