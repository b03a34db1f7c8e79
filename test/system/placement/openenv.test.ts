import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { credentialsOf, withoutCredentials } from '../../../src/environments/credentials.ts';
import { type LocalPlacement, localPlacement } from '../../../src/placement/local.ts';
import { startFolderServer } from '../../../src/placement/openenv/folder-server.ts';
import type { StartedServer } from '../../../src/placement/shared-servers.ts';
import { isAlive } from '../../alive.ts';
import { task, temporaryFolder } from '../../unit/runs/tasks.ts';
import { shareCommandLine } from '../cli/in-process.ts';
import { start } from '../cli/program.ts';
import { hasOpenEnv } from '../environments/openenv-server.ts';
import { dist, root } from '../programs.ts';
import { pythonEnvironment } from '../python.ts';
import { orphan } from './owner.ts';

const cli = shareCommandLine();

let folder = '';
beforeEach(async () => {
  folder = await temporaryFolder();
});

const servers: StartedServer[] = [];
/** A server that no test changes or ends, once it is asked for. */
let shared: ReturnType<typeof startFor> | null = null;
const served = () => (shared ??= startFor(join(root, 'test', 'fixtures', 'openenv', 'typed'), null));
afterAll(async () => {
  await (await shared)?.server.stop();
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function copied(name: string): Promise<string> {
  const to = join(folder, name);
  await cp(join(root, 'test', 'fixtures', 'openenv', name), to, { recursive: true });
  return to;
}

async function startFor(path: string, python: string | null) {
  const lines: string[] = [];
  return { server: await startFolderServer({ folder: path, python, log: (text) => lines.push(text) }), lines };
}

/** Until the end of the test. */
async function serve(path: string, python: string | null = null) {
  const started = await startFor(path, python);
  servers.push(started.server);
  return started;
}

function failure(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  return promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: { code: string; message: string }) => error,
  );
}

function get({ address }: StartedServer, path: string): Promise<Response> {
  return fetch(`${withoutCredentials(address)}${path}`, { headers: credentialsOf(address) });
}

/** Until a process that ends with another one is gone. */
async function ended(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe.skipIf(!hasOpenEnv)('the server of an environment in a folder', () => {
  it('is ready on the loopback interface alone, and logs under the name of the environment', async () => {
    const { server, lines } = await served();

    expect(server.address).toMatch(/^http:\/\/taskwright:[0-9a-f]{64}@127\.0\.0\.1:\d+$/);
    expect(await (await get(server, '/health')).json()).toEqual({ status: 'healthy' });
    expect(lines.join('\n')).toContain('[typed] INFO:');
  }, 120_000);

  it('answers nobody without its secret, which no other program can look up', async () => {
    const { server, lines } = await served();
    const url = withoutCredentials(server.address);
    const { password: secret } = new URL(server.address);

    for (const headers of [{}, credentialsOf(server.address.replace(secret, secret.toUpperCase()))]) {
      for (const path of ['/health', '/reset', '/state', '/nowhere']) {
        expect((await fetch(`${url}${path}`, { method: 'POST', headers })).status).toBe(401);
      }
      const socket = new WebSocket(`${url.replace('http:', 'ws:')}/ws`, { headers });
      expect(await once(socket, 'error')).toMatchObject([{ message: 'Unexpected server response: 403' }]);
    }
    if (process.platform === 'linux') {
      const told = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${server.id}/${name}`, 'utf8'));
      expect(told.join('')).not.toContain(secret);
    }
    expect(lines.join('')).not.toContain(secret);
  }, 120_000);

  it('is found if the older form of openenv.yaml names no app', async () => {
    const { server } = await serve(await copied('dataset'));
    expect((await get(server, '/list_environments')).status).toBe(200);
  }, 120_000);

  it('runs in the virtual environment at or above the folder, and can be ended', async () => {
    await symlink(pythonEnvironment(), join(folder, '.venv'));
    const { server, lines } = await serve(await copied('typed'));
    expect(lines.length).toBeGreaterThan(0);
    await server.stop();
    await expect(get(server, '/health')).rejects.toThrow();
  }, 120_000);

  it.each([
    ['has no openenv.yaml', async (path: string) => rm(join(path, 'openenv.yaml')), 'it has no openenv.yaml'],
    [
      'names no app and has not the usual one',
      async (path: string) => {
        await writeFile(join(path, 'openenv.yaml'), 'name: typed\n');
        await rm(join(path, 'server'), { recursive: true });
      },
      'names no "app", and the usual one, server.app:app, is missing',
    ],
    [
      'does not import',
      async (path: string) => writeFile(join(path, 'server', 'app.py'), 'import nowhere_to_be_found\n'),
      "ModuleNotFoundError: No module named 'nowhere_to_be_found'",
    ],
    ['is YAML in name alone', async (path: string) => writeFile(join(path, 'openenv.yaml'), 'a: [\n'), 'no valid YAML'],
  ])(
    'reports the reason if it %s',
    async (_what, spoil, words) => {
      const path = await copied('typed');
      await spoil(path);
      const { code, message } = await failure(serve(path));

      expect(code).toBe('start_failed');
      expect(message).toContain(words);
    },
    120_000,
  );

  it('is rejected if its openenv.yaml is of a later version', async () => {
    const path = await copied('typed');
    const manifest = await readFile(join(path, 'openenv.yaml'), 'utf8');
    await writeFile(join(path, 'openenv.yaml'), manifest.replace('spec_version: 1', 'spec_version: 2'));
    expect(await failure(serve(path))).toMatchObject({ code: 'version_mismatch' });
  });

  it('asks to install OpenEnv if the interpreter lacks it', async () => {
    const bare = join(folder, 'bare');
    execFileSync('python3', ['-m', 'venv', '--without-pip', bare]);
    const { message } = await failure(serve(await copied('typed'), join(bare, 'bin', 'python3')));
    expect(message).toContain('Install OpenEnv for this interpreter: pip install openenv');
  }, 120_000);

  it('ends with its owner, even if that is killed', async () => {
    const path = await copied('typed');
    const module = join(root, 'src', 'placement', 'openenv', 'folder-server.ts');
    const id = await orphan(module, 'startFolderServer', { folder: path, python: null });
    await ended(id);
  }, 120_000);
});

describe.skipIf(!hasOpenEnv)('tasks in the environment of a folder', () => {
  it('share one server, run four at once, and are judged the same when re-scored', async () => {
    await cp(join(root, 'examples', 'openenv'), folder, { recursive: true });
    const out = join(folder, 'out');
    const args = ['run', 'openenv.tasks.json#corridors', '--agent', 'replay:corridors.actions', '--group', '50'];
    const run = start([...args, '--concurrency', '4', '--json', '--verbose', '--out', out], folder);
    const { code, out: json, err } = await run.ended;

    expect(code, err).toBe(0);
    const { runs } = JSON.parse(json) as { runs: readonly { reward: number; steps: number; trace_dir: string }[] };
    expect(runs).toHaveLength(50);
    expect(new Set(runs.map(({ reward, steps }) => `${reward} ${steps}`))).toEqual(new Set(['1 8']));
    expect(err.match(/Started server process/g)).toHaveLength(1);

    const again = await cli(['rescore', dirname(runs[0]?.trace_dir ?? ''), '--every-step', '--json'], folder);
    const rescored = JSON.parse(again.out) as readonly { new: number; steps: { reward: number }[] }[];
    expect(new Set(rescored.map((one) => one.new))).toEqual(new Set([1]));
    // The state of each step was recorded: one of two calls is satisfied before the last step, by the row.
    expect(rescored[0]?.steps.map(({ reward }) => reward)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1]);
  }, 300_000);

  it('are solved by the solutions of the examples, which are valid', async () => {
    await cp(join(root, 'examples', 'openenv'), folder, { recursive: true });
    const validated = await cli(['validate', '.'], folder);
    expect(validated.out).toBe('');
    const { code, out: json, err } = await cli(['run', '.', '--json'], folder);
    expect(code, err).toBe(0);
    const { runs } = JSON.parse(json) as { runs: readonly { task_id: string; reward: number }[] };
    expect(runs.map(({ task_id, reward }) => [task_id, reward])).toEqual([
      ['first-steps', 1],
      ['corridors', 1],
      ['lamp', 1],
    ]);
    expect(err).not.toContain('ignored');
  }, 300_000);

  it('fail if the environment cannot start, without blaming the agent', async () => {
    const path = await copied('typed');
    await writeFile(join(path, 'server', 'app.py'), 'raise SystemExit("no licence")\n');
    await writeFile(
      join(folder, 'a.task.json'),
      JSON.stringify({ id: 'a', prompt: 'Go.', gym: { type: 'openenv', folder: './typed' } }),
    );
    const { code, out: json } = await cli(['run', 'a.task.json', '--agent', 'noop', '--json'], folder);
    const { runs } = JSON.parse(json) as { runs: readonly Record<string, unknown>[] };

    expect(code).toBe(1);
    expect(runs[0]).toMatchObject({ status: 'error', reward: null, error: { code: 'start_failed' } });
    expect(JSON.stringify(runs[0])).toContain('no licence');
  }, 120_000);
});

describe.skipIf(!hasOpenEnv)('a local placement', () => {
  it('starts an environment again after a change of its code, when its last run has ended', async () => {
    const path = await copied('typed');
    const placement = localPlacement({ serverProgram: join(dist, 'server.js'), log: () => {} });
    const given = task({ file: join(folder, 'a.task.json'), env: { type: 'openenv', folder: './typed' } });
    const open = () => placement.open(given, { progress: () => {} });
    try {
      const [one, other] = [await open(), await open()];
      expect(other.address).toBe(one.address);
      const code = join(path, 'server', 'app.py');
      await writeFile(code, `${await readFile(code, 'utf8')}\n# Changed.\n`);
      const changed = await open();
      expect(changed.address).not.toBe(one.address);
      const servers = () => placement.running().filter(({ name }) => name !== undefined).length;
      expect(servers()).toBe(2);
      await one.release();
      await other.release();
      await expect.poll(servers).toBe(1);
      await changed.release();
    } finally {
      await placement.dispose();
    }
  }, 120_000);
});

it('a local placement gives no server to a session that only evaluates what was recorded', async () => {
  const placement: LocalPlacement = localPlacement({ serverProgram: join(dist, 'server.js'), log: () => {} });
  const given = task({
    file: join(folder, 'a.task.json'),
    env: { type: 'openenv', folder: './nowhere' },
  });
  const lease = await placement.open(given, { recorded: true, progress: () => {} });
  expect(lease.address).toBeUndefined();
  await lease.release();
  await placement.dispose();
}, 60_000);
