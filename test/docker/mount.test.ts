import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { EMPTY_RANGE } from '../../src/base/range.ts';
import type { Lease } from '../../src/placement/placement.ts';
import { TASK_MOUNT } from '../../src/placement/task-folder.ts';
import type { ServerEvent } from '../../src/server/results.ts';
import type { Task } from '../../src/tasks/task.ts';
import { task } from '../system/server/harness.ts';
import { builtImage, containersOf, place, temporaryFolder } from './harness.ts';

beforeAll(builtImage);

/** A folder of a task with a page and functions, as a person has it. */
async function shop(mode = 0o755): Promise<{ folder: string; shop: Task }> {
  const folder = await temporaryFolder();
  await chmod(folder, mode);
  await writeFile(join(folder, 'shop.html'), '<title>First</title>');
  await writeFile(join(folder, 'price.ts'), 'export const price = 1;\n');
  await writeFile(
    join(folder, 'shop.functions.ts'),
    `import { writeFileSync } from 'node:fs';
import { price } from './price.ts';
export const costs = (_context: unknown, expected: number) => ({ value: price === expected, reason: \`costs \${price}\` });
export const fails = (): never => {
  console.log('failing', import.meta.url);
  throw new Error('no such price');
};
export const writes = () => writeFileSync(new URL('price.ts', import.meta.url), '');
`,
  );
  const named = task('', { file: join(folder, 'shop.task.json'), initial_state: { start_url: 'shop.html' } });
  return { folder, shop: named };
}

/** One session of a place. */
async function sessionIn({ server, files }: Lease, of: Task) {
  const { session } = await server.request('session.open', {});
  return {
    reset: () => server.request('session.reset', { session, task: of, files, seed: 0 }),
    evaluate: (name: string, ...args: number[]) =>
      server.request('session.evaluate', {
        session,
        call: { function: name, args, range: EMPTY_RANGE },
        limit_ms: 120_000,
      }),
  };
}

test('Pages and functions that are edited count from the next reset on, in the same container', async () => {
  const { folder, shop: of } = await shop();
  const lease = await place().open(of);
  const session = await sessionIn(lease, of);
  expect(lease.files).toEqual({ folder: TASK_MOUNT, withheld: [] });
  expect((await session.reset()).info.title).toBe('First');
  expect(await session.evaluate('costs', 1)).toMatchObject({ value: 1 });
  const before = await containersOf(process.pid);

  await writeFile(join(folder, 'shop.html'), '<title>Second</title>');
  await writeFile(join(folder, 'price.ts'), 'export const price = 22;\n');

  expect((await session.reset()).info.title).toBe('Second');
  expect(await session.evaluate('costs', 22)).toMatchObject({ value: 1, reason: 'costs 22' });
  expect(await containersOf(process.pid)).toEqual(before);
});

test('A container that was ready before an edit sees the edited files', async () => {
  const { folder, shop: of } = await shop();
  const { open, placement } = place({ warm: 1 });
  await (await open(of)).release();
  await expect.poll(() => placement.running().length, { timeout: 120_000 }).toBe(1);
  await writeFile(join(folder, 'shop.html'), '<title>Second</title>');

  const session = await sessionIn(await open(of), of);

  expect((await session.reset()).info.title).toBe('Second');
});

test('Errors, stacks and the log name the files where the person has them', async () => {
  const { folder, shop: of } = await shop();
  const lease = await place().open(of);
  const session = await sessionIn(lease, of);
  const heard: ServerEvent[] = [];
  lease.server.onEvent((event) => heard.push(event));
  await session.reset();

  const outcome = await session.evaluate('fails');

  const address = pathToFileURL(join(folder, 'shop.functions.ts')).href;
  if (!('error' in outcome)) throw new Error('it did not fail');
  expect(outcome.error.message).toBe('`fails` threw (shop.functions.ts:6): no such price');
  expect(outcome.error.stack).toMatch(new RegExp(`${address}\\?v=\\d+:6:9`));
  expect(JSON.stringify(outcome)).not.toContain(TASK_MOUNT);
  await expect.poll(() => JSON.stringify(heard)).toContain(`failing ${address}`);
});

test('Nothing inside can change the folder', async () => {
  const { shop: of } = await shop();
  const session = await sessionIn(await place().open(of), of);
  await session.reset();

  expect(await session.evaluate('writes')).toMatchObject({
    error: { message: expect.stringMatching(/read-only file system|permission denied/) },
  });
});

test('A folder that only its owner may read works all the same', async () => {
  const { folder, shop: of } = await shop(0o700);
  const { open } = place();
  const session = await sessionIn(await open(of), of);
  expect((await session.reset()).info.title).toBe('First');
  expect(await session.evaluate('costs', 1)).toMatchObject({ value: 1 });
  const outcome = await session.evaluate('fails');
  expect(JSON.stringify(outcome)).toContain(pathToFileURL(join(folder, 'shop.functions.ts')).href);

  // Edited, it counts from the next run on.
  await writeFile(join(folder, 'shop.html'), '<title>Second</title>');

  expect((await (await sessionIn(await open(of), of)).reset()).info.title).toBe('Second');
});
