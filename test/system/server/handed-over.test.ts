import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import { withLocalPaths } from '../../../src/placement/local-paths.ts';
import type { EnvironmentServer } from '../../../src/placement/placement.ts';
import { filesFor } from '../../../src/placement/task-folder.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { type Marked, placeForAll, task } from './harness.ts';

let marked: Marked;
let server: EnvironmentServer;
beforeAll(async () => {
  marked = placeForAll();
  server = await marked.placement.server();
});
afterAll(() => marked.placement.dispose());

const FUNCTIONS = `import { words } from './words.ts';
export function check(_context: unknown, expected: string): { value: boolean; reason: string } {
  return { value: words === expected, reason: words };
}
export function fails(): never {
  throw new Error('no such price');
}
`;

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'taskwright handed over '));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  await writeFile(join(path, 'shop.functions.ts'), FUNCTIONS);
  await writeFile(join(path, 'words.ts'), "export const words = 'first';\n");
  await mkdir(join(path, 'pages'));
  await writeFile(join(path, 'pages', 'shop.html'), '<title>Shop</title><script src="price.js"></script>');
  await writeFile(join(path, 'pages', 'price.js'), "document.title += ' 12';");
  return path;
}

function shop(path: string): Task {
  return task('', { file: join(path, 'shop.task.json'), initial_state: { start_url: 'pages/shop.html' } });
}

async function session(): Promise<string> {
  const opened = await server.request('session.open', {});
  onTestFinished(async () => {
    await server.request('session.close', opened);
  });
  return opened.session;
}

const call = (name: string, ...args: string[]) => ({
  call: { function: name, args, range: EMPTY_RANGE },
  limit_ms: 20_000,
});

test('Pages and functions of transferred files work like those of a folder', async () => {
  const path = await folder();
  const id = await session();

  const { info } = await server.request('session.reset', {
    session: id,
    task: shop(path),
    files: await filesFor(shop(path), null),
    seed: 0,
  });

  expect(info.title).toBe('Shop 12');
  const outcome = await server.request('session.evaluate', { session: id, ...call('check', 'first') });
  expect(outcome).toMatchObject({ value: 1, reason: 'first' });
});

test('Edits are used from the next reset on, in the same session', async () => {
  const path = await folder();
  const id = await session();
  const reset = async () =>
    server.request('session.reset', {
      session: id,
      task: shop(path),
      files: await filesFor(shop(path), null),
      seed: 0,
    });
  await reset();
  await server.request('session.evaluate', { session: id, ...call('check', 'first') });
  await writeFile(join(path, 'words.ts'), "export const words = 'second';\n");
  await rm(join(path, 'pages', 'price.js'));

  const { info } = await reset();

  expect(info.title).toBe('Shop');
  const outcome = await server.request('session.evaluate', { session: id, ...call('check', 'second') });
  expect(outcome).toMatchObject({ value: 1, reason: 'second' });
});

test('Errors name the user’s own files, not the copies', async () => {
  const path = await folder();
  const id = await session();
  const near = withLocalPaths(server, path);
  await near.request('session.reset', {
    session: id,
    task: shop(path),
    files: await filesFor(shop(path), null),
    seed: 0,
  });

  const outcome = await near.request('session.evaluate', { session: id, ...call('fails') });

  if (!('error' in outcome)) throw new Error('it did not fail');
  expect(outcome.error.message).toBe('`fails` threw (shop.functions.ts:6): no such price');
  expect(outcome.error.stack).toContain(`${encodeURI(`file://${path}/shop.functions.ts`)}?v=`);
  expect(outcome.error.stack).not.toContain('/task-');
});

test.each(['../escaped.html', '/etc/escaped.html', 'a/../../escaped.html', 'a\0b'])(
  'A file named %j is refused',
  async (name) => {
    await expect(
      server.request('session.reset', {
        session: await session(),
        task: task('<p>'),
        files: { contents: { [name]: new Uint8Array() } },
        seed: 0,
      }),
    ).rejects.toMatchObject({ code: 'bad_file_name' });
  },
);

test('A folder of 20 MB in 400 files arrives complete, and is removed with the next one', async () => {
  const path = await folder();
  const hash = createHash('sha256');
  for (let index = 100; index < 500; index++) {
    const data = randomBytes(50 * 1024);
    hash.update(data);
    await mkdir(join(path, `part-${index % 20}`), { recursive: true });
    await writeFile(join(path, `part-${index % 20}`, `${index}.png`), data);
  }
  const id = await session();
  const reset = async (of: string) =>
    server.request('session.reset', { session: id, task: task('<p>'), files: await filesFor(shop(of), null), seed: 0 });

  const placed = (await reset(path)).folder;

  const arrived = createHash('sha256');
  for (let index = 100; index < 500; index++)
    arrived.update(await readFile(join(placed, `part-${index % 20}`, `${index}.png`)));
  expect(arrived.digest('hex')).toBe(hash.digest('hex'));
  await reset(await folder());
  expect(existsSync(placed)).toBe(false);
});
