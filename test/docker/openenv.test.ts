import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { start } from '../system/cli/program.ts';
import { task } from '../unit/runs/tasks.ts';
import {
  containersOf,
  daemon,
  imageTags,
  nothingLeftOf,
  place,
  removeImages,
  run,
  temporaryFolder,
} from './harness.ts';
import { buildOnLab, OPENENV_LAB, PYTHON_BASE } from './lab-image.ts';

const IMAGE = `taskwright-test-openenv:${process.pid}`;
const SILENT = `taskwright-test-openenv-silent:${process.pid}`;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwright-docker-'));
  const serve = ['python3', '-m', 'uvicorn', 'server.app:app', '--host', '0.0.0.0', '--port', '8000'];
  await buildOnLab(IMAGE, OPENENV_LAB, serve);
  await writeFile(
    join(folder, 'silent.Dockerfile'),
    `${PYTHON_BASE}CMD ["python3", "-c", "import sys; print('no licence'); sys.exit(3)"]\n`,
  );
  await run('docker', ['build', '-q', '-t', SILENT, '-f', join(folder, 'silent.Dockerfile'), folder]);
}, 600_000);

afterAll(async () => {
  await rm(folder, { recursive: true });
  const built = await imageTags('taskwright-test-openenv*');
  await removeImages(built.filter((tag) => tag.includes(`:${process.pid}`)));
});

function imageTask(image: string, more: Readonly<Record<string, Json>> = {}) {
  return { id: 'walk', prompt: 'Go to 3.', gym: { type: 'openenv', image }, ...more };
}

describe('an OpenEnv environment in an image', () => {
  test('serves all runs of a job from one container on the loopback interface, which is gone with them', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'walk.task.json');
    await writeFile(
      file,
      JSON.stringify(imageTask(IMAGE, { metadata: { docker: { memory: 600, cpus: 1, pids: 90 } } })),
    );
    await writeFile(join(folder, 'walk.actions'), '{"direction": "RIGHT", "steps": 3}\n');
    const args = ['run', file, '--group', '6', '--concurrency', '3', '--json', '--verbose'];
    const { child, ended } = start(args, folder);
    const { code, out, err } = await ended;

    expect(code, err).toBe(0);
    const { runs } = JSON.parse(out) as { runs: readonly { reward: number; status: string }[] };
    expect(runs.map(({ reward, status }) => `${status} ${reward}`)).toEqual(Array(6).fill('completed 1'));
    expect(await containersOf(child.pid)).toEqual([]);
  }, 300_000);

  test('has limits, no more rights, and a port that is published on the loopback interface alone', async () => {
    const { placement, open } = place({ limits: { memory: 700, cpus: 1, pids: 120 } });
    const of = task({ env: { type: 'openenv', image: IMAGE } });
    const [first, second] = await Promise.all([open(of), open(of)]);
    const [id, ...others] = await containersOf(process.pid);
    const { HostConfig, NetworkSettings } = await (await daemon()).getContainer(id ?? '').inspect();

    expect(others).toEqual([]);
    expect(placement.running()).toHaveLength(1);
    expect(second?.address).toBe(first?.address);
    expect((await fetch(`${first?.address}/health`)).status).toBe(200);
    const published = Object.entries(NetworkSettings.Ports).filter(([, bindings]) => bindings !== null);
    expect(published.map(([port]) => port)).toEqual(['8000/tcp']);
    expect(published[0]?.[1].map(({ HostIp }) => HostIp)).toEqual(['127.0.0.1']);
    expect(HostConfig).toMatchObject({
      Memory: 700 * 1024 * 1024,
      MemorySwap: 700 * 1024 * 1024,
      NanoCpus: 1e9,
      PidsLimit: 120,
      Privileged: false,
      PublishAllPorts: false,
      SecurityOpt: ['no-new-privileges'],
    });
    await Promise.all([first?.release(), second?.release()]);
    await placement.dispose();
    expect(await containersOf(process.pid)).toEqual([]);
    await expect(fetch(`${first?.address}/health`)).rejects.toThrow();
  }, 300_000);

  test('that does not serve says so with its last output, and is removed', async () => {
    await expect(place().open(task({ env: { type: 'openenv', image: SILENT } }))).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringMatching(/^The OpenEnv image \S+ ended \(exit code 3\).*no licence/s),
    });
    expect(await containersOf(process.pid)).toEqual([]);
  });

  test('is started again for the next run after its server ended', async () => {
    const { placement, open } = place();
    const of = task({ env: { type: 'openenv', image: IMAGE } });
    const first = await open(of);
    const [id = ''] = await containersOf(process.pid);
    const { server } = first;
    const { session } = await server.request('session.open', {});
    await server.request('session.reset', { session, task: of, files: first.files, seed: 0, address: first.address });
    const dying = server.request('session.step', { session, actions: [{ direction: 'LEFT', do: 'die' }] });
    await expect(dying).rejects.toMatchObject({ code: 'environment_lost' });
    await first.release();
    await vi.waitFor(async () => expect(await containersOf(process.pid)).not.toContain(id), { timeout: 120_000 });
    const second = await open(of);

    expect((await fetch(`${second.address}/health`)).status).toBe(200);
    expect(placement.running()).toHaveLength(1);
    await second.release();
  });

  test('is refused without a network, by which it is reached', async () => {
    const of = task({ env: { type: 'openenv', image: IMAGE } });
    await expect(place({ limits: { network: 'none' } }).open(of)).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringContaining('set metadata.docker.network to bridge'),
    });
  });

  test('ends with its owner, even if that is killed', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'walk.task.json'), JSON.stringify(imageTask(IMAGE)));
    const args = ['run', 'walk.task.json', '--agent', 'process:sleep 1000', '--verbose'];
    const { child, ended } = start(args, folder);
    await vi.waitFor(
      async () => {
        const [id] = await containersOf(child.pid);
        const { State } = await (await daemon()).getContainer(id ?? 'none').inspect();
        expect(State.Running).toBe(true);
      },
      { timeout: 120_000, interval: 50 },
    );
    child.kill('SIGKILL');
    await ended;
    await nothingLeftOf(child.pid);
  }, 300_000);
});
