import { existsSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import type { EnvironmentServer } from '../../../src/placement/placement.ts';
import {
  allOf,
  folderOf,
  type Marked,
  misbehaving,
  place,
  placeForAll,
  processesOf,
  processOf,
  TestSession,
  task,
} from './harness.ts';

let marked: Marked;
let server: EnvironmentServer;
beforeAll(async () => {
  marked = placeForAll();
  server = await marked.placement.server();
});
afterAll(() => marked.placement.dispose());

async function open(html?: string): Promise<TestSession> {
  const session = await TestSession.open(marked.placement, html);
  onTestFinished(async () => {
    await session.close().catch(() => {});
  });
  return session;
}

test('Two sessions share no cookies, no storage, no state of functions and no process', async () => {
  const [one, other] = [await open(), await open()];

  await one.setup('remembers', 'mine');

  expect(JSON.parse(await one.reason('remembered'))).toEqual(['mine', 'mine', 'mine']);
  expect(JSON.parse(await other.reason('remembered'))).toEqual([null, null, null]);
  expect(await one.reason('process_id')).not.toBe(await other.reason('process_id'));
});

test('A session that is reset keeps nothing of the previous task', async () => {
  const session = await open();
  await session.setup('remembers', 'earlier');

  await session.reset('<p>The next</p>');

  expect(JSON.parse(await session.reason('remembered')).slice(0, 2)).toEqual([null, null]);
  expect(await session.reason('page_text')).toBe('The next');
});

test('A session has nothing of the one before, whose process it takes: no cookies, no storage, no files', async () => {
  const { mark, placement } = place();
  const own = await placement.server();
  const html = `<script>
    document.write(document.cookie + ' and ' + localStorage.getItem('kept'));
    document.cookie = 'kept=cookie';
    localStorage.setItem('kept', 'storage');
  </script>`;
  const begin = async () => {
    const { session } = await own.request('session.open', {});
    const files = { contents: { 'page.html': Buffer.from(html) } };
    const { folder } = await own.request('session.reset', { session, task: task(''), files, seed: 0 });
    const visit = async (): Promise<string | null> => {
      const call = { function: 'goto', args: ['page.html'], range: EMPTY_RANGE };
      await own.request('session.setup', { session, call, limit_ms: 20_000 });
      return (await own.request('session.step', { session, actions: ['noop(0)'] })).observation.text;
    };
    return { session, folder, visit };
  };
  const one = await begin();
  expect(await one.visit()).toContain('and null');
  expect(await one.visit()).toContain('kept=cookie and storage');
  const process = await processOf(mark, 'session');

  await own.request('session.close', { session: one.session });

  expect(existsSync(one.folder)).toBe(false);
  const next = await begin();
  expect(await next.visit()).toContain('and null');
  expect(await allOf(mark, 'session')).toEqual([process]);
});

test('A step comes back with the picture as bytes', async () => {
  const session = await open();

  const { observation } = await session.step("click('p')");

  expect(observation.screenshot?.data).toBeInstanceOf(Uint8Array);
  expect(Buffer.from(observation.screenshot?.data.subarray(1, 4) ?? []).toString()).toBe('PNG');
});

test('Transferred files are in a folder of the session, and are removed with it', async () => {
  const { session } = await server.request('session.open', {});
  const folder = await folderOf(marked.mark);
  const contents = { 'misbehaving.functions.mjs': await readFile(join(misbehaving, 'misbehaving.functions.mjs')) };
  await server.request('session.reset', { session, task: task('<p>Hi</p>'), files: { contents }, seed: 0 });

  const call = { function: 'temporary_folder', args: [], range: EMPTY_RANGE };
  const outcome = await server.request('session.evaluate', { session, call, limit_ms: 10_000 });

  // Of the process, which may have had another session before.
  const own = 'reason' in outcome ? outcome.reason : '';
  expect([dirname(own), existsSync(own)]).toEqual([folder, true]);
  await server.request('session.close', { session });
  expect(existsSync(own)).toBe(false);
});

test.each(['../outside.js', '/tmp/outside.js', 'a/../../outside.js'])('A file named %s is refused', async (name) => {
  const { session } = await server.request('session.open', {});
  onTestFinished(async () => {
    await server.request('session.close', { session });
  });

  const files = { contents: { [name]: new Uint8Array([1]) } };
  await expect(server.request('session.reset', { session, task: task(''), files, seed: 0 })).rejects.toMatchObject({
    code: 'bad_file_name',
  });
});

test('The live picture comes as events of the session', async () => {
  const session = await open();

  await server.request('session.live', { session: session.id, on: true });

  await vi.waitFor(() => expect(session.events.map(({ event }) => event)).toContain('frame'), { timeout: 60_000 });
  await server.request('session.live', { session: session.id, on: false });
});

test('An environment that this version does not run is rejected by name', async () => {
  const { session } = await server.request('session.open', {});
  const desktop = task('', { env: { type: 'desktop', image: 'some/image' } });

  const reset = server.request('session.reset', { session, task: desktop, files: { folder: misbehaving }, seed: 0 });

  await expect(reset).rejects.toMatchObject({
    code: 'unsupported_environment',
    message: expect.stringMatching(/desktop.*some\/image/),
  });
  await server.request('session.close', { session });
});

test('Malformed, unknown, early, and late requests are rejected with a code, without side effects', async () => {
  const { session } = await server.request('session.open', {});

  await expect(server.request('session.step', { session, actions: [7 as unknown as string] })).rejects.toMatchObject({
    code: 'bad_request',
  });
  await expect(server.request('no.such' as 'hello', { version: 1, secret: 'a'.repeat(16) })).rejects.toMatchObject({
    code: 'unknown_method',
  });
  await expect(server.request('session.step', { session, actions: [] })).rejects.toMatchObject({ code: 'not_reset' });
  await expect(server.request('hello', { version: 99, secret: 'a'.repeat(16) })).rejects.toMatchObject({
    code: 'version_mismatch',
  });
  await server.request('session.close', { session });
  await expect(server.request('session.urls', { session })).rejects.toMatchObject({ code: 'unknown_session' });
});

test('A session whose request was cancelled is closed', async () => {
  const folder = await folderOf(marked.mark);
  // Two at once: one has a process ready, the other must wait for its own.
  const kept = server.request('session.open', {});
  const controller = new AbortController();
  const given = server.request('session.open', {}, controller.signal);
  controller.abort();

  await expect(given).rejects.toMatchObject({ name: 'AbortError' });
  const { session } = await kept;
  await server.request('session.close', { session });
  // Those that earlier sessions had rest for a while.
  await vi.waitFor(
    async () => {
      const processes = await allOf(marked.mark, 'session');
      const folders = (await readdir(folder)).filter((name) => /^[0-9a-f]{12}$/.test(name));
      expect([processes.length, folders.length]).toEqual([1, 1]);
    },
    { timeout: 40_000 },
  );
});

test('A browser has no port', async () => {
  await open();
  expect(await allOf(marked.mark, 'browser')).not.toEqual([]);

  const pids = (await processesOf(marked.mark)).map(({ pid }) => pid);
  expect(await listeningPorts(pids)).toEqual([]);
});

/** TCP ports on which any of the processes listens. */
async function listeningPorts(pids: readonly number[]): Promise<string[]> {
  const inodes = new Set<string>();
  for (const pid of pids) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const inode = /^socket:\[(\d+)\]$/.exec(await readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''))?.[1];
      if (inode !== undefined) inodes.add(inode);
    }
  }
  const rows = (await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => ''))))
    .flatMap((text) => text.trim().split('\n').slice(1))
    .map((row) => row.trim().split(/\s+/));
  // Column 3 is the state, `0A` is LISTEN; column 9 the inode (proc(5)).
  return rows.flatMap((row) => (row[3] === '0A' && inodes.has(row[9] ?? '') ? [row[1] ?? ''] : []));
}
