import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  allOf,
  folderOf,
  misbehaving,
  nothingLeft,
  place,
  processesOf,
  processOf,
  serverProgram,
  TestSession,
  task,
} from '../server/harness.ts';

const ownerProgram = join(import.meta.dirname, 'owner.mjs');
const root = join(import.meta.dirname, '..', '..', '..');
const placementProgram = join(root, 'out', 'test', 'local-placement.cjs');

beforeAll(async () => {
  const entryPoints = [join(root, 'src', 'placement', 'local.ts')];
  await build({ entryPoints, outfile: placementProgram, bundle: true, platform: 'node', format: 'cjs' });
});

/** Starts a process that owns a placement; resolves when its session stands. */
async function startOwner(...more: string[]) {
  const label = randomUUID();
  const given = JSON.stringify({ task: task('<p>Hi</p>'), folder: misbehaving });
  const owner = spawn(process.execPath, [ownerProgram, placementProgram, serverProgram, given, ...more], {
    env: { ...process.env, TASKWRIGHT_TEST: label },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    owner.kill('SIGKILL');
  });
  await new Promise<void>((resolve, reject) => {
    owner.stdout.once('data', () => resolve());
    owner.once('exit', () => reject(new Error('the owner ended early')));
  });
  return { owner, mark: `TASKWRIGHT_TEST=${label}` };
}

describe('the owner of a server', () => {
  test('that is killed leaves no process and no folder', async () => {
    const { owner, mark } = await startOwner();
    const folder = await folderOf(mark);
    expect(existsSync(folder)).toBe(true);

    owner.kill('SIGKILL');

    await nothingLeft(mark);
    expect(existsSync(folder)).toBe(false);
  });

  test('that is killed leaves nothing even while a function loops endlessly', async () => {
    const { owner, mark } = await startOwner('loop');

    owner.kill('SIGKILL');

    await nothingLeft(mark);
  });

  test('that is killed together with its server leaves no process, and its folder goes at the next start', async () => {
    // A place of its own for temporary files: servers of other tests clear up as well.
    const temporary = await mkdtemp(join(tmpdir(), 'tw-'));
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await rm(temporary, { recursive: true, force: true });
    });
    const { owner, mark } = await startOwner('loop');
    const folder = await folderOf(mark);
    const server = await processOf(mark, 'server');

    owner.kill('SIGKILL');
    process.kill(server.pid, 'SIGKILL');
    await nothingLeft(mark);
    expect(existsSync(folder)).toBe(true);

    const next = place();
    await next.placement.server();
    await vi.waitFor(() => expect(existsSync(folder)).toBe(false), { timeout: 60_000 });
  });
});

describe('a placement', () => {
  test('starts one server for concurrent requests', async () => {
    const { placement } = place();

    const [one, other] = await Promise.all([placement.server(), placement.server()]);

    expect(one).toBe(other);
  });

  test.each([
    [true, 1],
    [false, 0],
  ])('prepares a session for the next task or not: %s', async (prepareNext, expected) => {
    const { placement, mark } = place({ prepareNext });
    // A process that ran user-defined functions is not used again.
    const session = await TestSession.open(placement);
    await session.evaluate('is_fine');
    await session.close();
    await vi.waitFor(async () => expect(await allOf(mark, 'session')).toHaveLength(expected), { timeout: 60_000 });
  });

  test('ends everything when it is disposed, even during requests', async () => {
    const { placement, mark } = place();
    const session = await TestSession.open(placement);
    const folder = await folderOf(mark);
    const looping = expect(session.evaluate('loops_for_ever')).rejects.toMatchObject({ code: 'server_ended' });

    await placement.dispose();

    expect(await processesOf(mark)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
    await looping;
    await expect(placement.server()).rejects.toMatchObject({ code: 'placement_disposed' });
    expect(await session.server.whenEnded).toMatchObject({ code: 'server_ended' });
  });

  test('reports the last output of a server that died during its start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'program-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'server.js'), `console.error('no room on this machine'); process.exit(7);`);
    const { placement } = place({ serverProgram: join(folder, 'server.js') });

    await expect(placement.server()).rejects.toMatchObject({
      code: 'server_died',
      message: expect.stringMatching(/exit code 7[\s\S]*no room on this machine/),
    });
  });

  test('reports a program that is not a server', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'program-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'server.js'), `console.log('Hello, I print things'); setInterval(() => {}, 1000);`);
    const { placement, mark } = place({ serverProgram: join(folder, 'server.js') });

    await expect(placement.server()).rejects.toMatchObject({ code: 'server_not_understood' });
    await placement.dispose();
    expect(await processesOf(mark)).toEqual([]);
  });

  test('reports a missing browser if a task needs one', async () => {
    const { placement } = place({ browser: '/no/such/browser' });

    await expect(TestSession.open(placement)).rejects.toMatchObject({
      code: 'browser_missing',
      message: expect.stringContaining('/no/such/browser'),
    });
  });

  test('abandons a request when it is cancelled', async () => {
    const { placement } = place();
    const session = await TestSession.open(placement);
    const controller = new AbortController();
    const actions = ['noop(20000)'];
    const stepping = session.server.request('session.step', { session: session.id, actions }, controller.signal);

    controller.abort();

    await expect(stepping).rejects.toMatchObject({ name: 'AbortError' });
    expect(await session.evaluate('is_fine')).toMatchObject({ value: 1 });
  });

  test('keeps a folder whose owner is running, or is on another machine', async () => {
    const folders = ['taskwright-00000000000a', 'taskwright-00000000000b'].map((name) => join(tmpdir(), name));
    onTestFinished(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))).then(() => {}));
    const owners = [
      { host: hostname(), owner: { pid: process.pid, started: null }, started: [] },
      { host: 'elsewhere', owner: { pid: 4194303, started: '1' }, started: [] },
    ];
    for (const [index, folder] of folders.entries()) {
      await mkdir(folder);
      await writeFile(join(folder, 'owner.json'), JSON.stringify(owners[index]));
    }
    const dead = join(tmpdir(), 'taskwright-00000000000c');
    await mkdir(dead);
    const gone = { host: hostname(), owner: { pid: 4194303, started: '1' }, started: [] };
    await writeFile(join(dead, 'owner.json'), JSON.stringify(gone));

    const { placement } = place();
    await placement.server();

    await vi.waitFor(() => expect(existsSync(dead)).toBe(false), { timeout: 60_000 });
    expect(folders.map((folder) => existsSync(folder))).toEqual([true, true]);
  });
});
