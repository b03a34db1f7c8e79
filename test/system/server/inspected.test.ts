import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WATCH_NAME } from '../../../src/server/session-names.ts';
import { place, task } from './harness.ts';
import { Inspector } from './inspector.ts';

const FUNCTIONS = `export async function ripe({ page }: { page: { title(): Promise<string> } }, wanted: string) {
  const title: string = await page.title();
  return title === wanted;
}
`;

async function fruit(functions = FUNCTIONS) {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-inspected-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'fruit.functions.ts'), functions);
  const { placement, log } = place();
  const server = await placement.server();
  const { session } = await server.request('session.open', {});
  const start = task('<title>Plum</title>', { file: join(folder, 'fruit.task.json') });
  await server.request('session.reset', { session, task: start, files: { folder }, seed: 0 });
  const range = { start: { line: 6, character: 4 }, end: { line: 6, character: 20 } };
  const call = { function: 'ripe', args: ['Plum'], range };
  const evaluate = (pause: boolean, limit_ms = 100) =>
    server.request('session.evaluate', { session, call, limit_ms, ...(pause ? { pause } : {}) });
  const inspect = () => server.request('session.inspect', { session, file: 'fruit.task.json' });
  const printed: string[] = [];
  server.onEvent((event) => {
    if (event.event === 'log') printed.push(event.text);
  });
  return { folder, log, printed, evaluate, inspect };
}

test('A function stops on its first line, with the task file as its caller', async () => {
  const { folder, evaluate, inspect, log } = await fruit();
  const { port } = await inspect();
  const inspector = await Inspector.attach(port);
  const stopped = inspector.paused();

  const outcome = evaluate(true);

  expect(inspector.placesOf(await stopped).slice(0, 2)).toEqual([
    `${pathToFileURL(join(folder, 'fruit.functions.ts')).href}:1`,
    `${pathToFileURL(join(folder, 'fruit.task.json')).href}:6`,
  ]);
  // Longer than its limit and the grace beyond.
  await delay(1_300);
  await inspector.ask('Debugger.resume');
  expect(await outcome).toMatchObject({ value: 1 });
  // The address of the inspector is a secret.
  expect(log.join('\n')).not.toContain('ws://');
});

test('Without an attached JavaScript debugger nothing waits', async () => {
  const { evaluate, inspect } = await fruit();
  await inspect();
  expect(await evaluate(true)).toMatchObject({ value: 1 });
});

test('The watchdog thread next to the function explains itself', async () => {
  const { inspect } = await fruit();
  const inspector = await Inspector.attach((await inspect()).port);
  expect(await inspector.thread()).toBe(`[worker 1] ${WATCH_NAME}`);
});

test('The inspector listens only on the loopback interface, at one port for all requests', async () => {
  const { inspect } = await fruit();
  const { port } = await inspect();
  expect(await inspect()).toEqual({ port });
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4');
  for (const { address } of others) {
    await expect(fetch(`http://${address}:${port}/json/list`)).rejects.toThrow();
  }
});

test('A function that loops can be paused by a debugger that is attached meanwhile', async () => {
  const { folder, evaluate, inspect, printed } = await fruit(`export function ripe() {
  console.log('ripening');
  let isRipe = false;
  while (!isRipe) isRipe = (globalThis as { ripe?: true }).ripe === true;
  return isRipe;
}
`);
  const outcome = evaluate(false, 10_000);
  // In the loop, in which the process answers nothing.
  await vi.waitFor(() => expect(printed).toContain('ripening'));
  const { port } = await inspect();
  const inspector = await Inspector.attach(port);
  const stopped = inspector.paused();
  await inspector.ask('Debugger.pause');
  expect(inspector.placesOf(await stopped)[0]).toContain(pathToFileURL(join(folder, 'fruit.functions.ts')).href);
  await inspector.ask('Runtime.evaluate', { expression: 'globalThis.ripe = true' });
  await inspector.ask('Debugger.resume');
  expect(await outcome).toMatchObject({ value: 1 });
});

test('A task class stops before the first action', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-inspected-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'count.functions.ts');
  await writeFile(
    file,
    `import { CustomBrowserTask, registerCustomTask } from 'taskwright';
registerCustomTask('count', class extends CustomBrowserTask {
  html() {
    debugger;
    return '<title>Count</title>';
  }
  reward() { return 0; }
  done() { return false; }
});
`,
  );
  const { placement } = place();
  const server = await placement.server();
  const { session } = await server.request('session.open', {});
  const provided = await server.request('session.provideFiles', { session, files: { folder } });
  expect(provided).toEqual({ folder });
  const { port } = await server.request('session.inspect', { session, file: 'count.task.json', ...provided });
  const inspector = await Inspector.attach(port);
  const stopped = inspector.paused();
  const env = { type: 'browsergym', benchmark: 'custom', task_name: 'count' };
  const start = task('', { file: join(folder, 'count.task.json'), env, initial_state: {} });
  const started = server.request('session.reset', { session, task: start, files: { folder }, seed: 0 });
  expect(inspector.placesOf(await stopped)[0]).toBe(`${pathToFileURL(file).href}:3`);
  await inspector.ask('Debugger.resume');
  expect((await started).observation.text).toContain('Count');
});
