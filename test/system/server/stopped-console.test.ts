import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { completing, loadStoppedExpressions } from '../../../src/debugger/stopped-expression.ts';
import { place, processOf, task } from './harness.ts';
import { Inspector } from './inspector.ts';

const FUNCTIONS = `export async function ripe({ page }, index) {
  const fruit = page.getByRole('listitem', { name: 'ripe' });
  const rejected = Promise.reject(new Error('rotten'));
  rejected.catch(() => {});
  const settled = Promise.resolve({ color: 'blue' });
  const pending = new Promise(() => {});
  debugger;
  return (await fruit.count()) === index;
}
`;
const PAGE =
  '<title>Plum</title><ul><li aria-label="ripe">One<li aria-label="ripe">Two</ul><script>localStorage.a = "b"</script>';

beforeAll(() => loadStoppedExpressions());

/** A function that is stopped at its `debugger` statement. `evaluate` resolves with a result, or with the message of an error. */
async function stopped(html = PAGE) {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-stopped-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'fruit.functions.js'), FUNCTIONS);
  const { placement, mark } = place();
  const server = await placement.server();
  const { session } = await server.request('session.open', {});
  const start = task(html, { file: join(folder, 'fruit.task.json') });
  await server.request('session.reset', { session, task: start, files: { folder }, seed: 0, debugged: true });
  const { port } = await server.request('session.inspect', { session, file: 'fruit.task.json' });
  const inspector = await Inspector.attach(port);
  const pause = inspector.paused();
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const call = { function: 'ripe', args: [2], range };
  const outcome = server.request('session.evaluate', { session, call, limit_ms: 10_000 });
  const [frame] = (await pause).callFrames;
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = (await inspector.ask('Debugger.evaluateOnCallFrame', {
      callFrameId: frame?.callFrameId,
      expression: completing(expression) ?? expression,
    })) as { result: { value?: unknown; description?: string }; exceptionDetails?: object };
    return exceptionDetails === undefined ? result.value : result.description?.split('\n')[0];
  };
  const resume = async () => {
    await inspector.ask('Debugger.resume');
    return await outcome;
  };
  return { evaluate, resume, mark };
}

it('completes queries of the page and settled promises, and the function continues', async () => {
  const { evaluate, resume } = await stopped();
  expect(await evaluate('await page.title()')).toBe('Plum');
  expect(await evaluate('page.title().length + index')).toBe(6);
  expect(await evaluate('await fruit.nth(index - 1).textContent()')).toBe('Two');
  expect(await evaluate("(await page.localStorage())['a']")).toBe('b');
  expect(await evaluate("String(page.locator('li'))")).toBe("locator('li')");
  expect(await evaluate('(await settled).color')).toBe('blue');
  expect(await evaluate('await index')).toBe(2);
  expect(await resume()).toMatchObject({ value: 1 });
});

it('says why others do not complete', async () => {
  const { evaluate, resume } = await stopped();
  expect(await evaluate('await rejected')).toBe('Error: rotten');
  expect(await evaluate('await pending')).toBe(
    'Error: The promise is pending. It can settle only when the function continues.',
  );
  expect(await evaluate("await page.click('li')")).toMatch(/^Error: click is not available, because only queries/);
  expect(await evaluate('await page.getByText(/One/).count()')).toMatch(/must be JSON values/);
  expect(await evaluate('await settled.missing()')).toBe('TypeError: missing is not a function');
  expect(await evaluate('await page.missing.title()')).toMatch(/^TypeError: /);
  expect(await resume()).toMatchObject({ value: 1 });
});

it('does not guess the frame of a locator', async () => {
  const { evaluate, resume } = await stopped(`${PAGE}<iframe srcdoc="<li>Three"></iframe>`);
  expect(await evaluate('await fruit.count()')).toMatch(/The page has frames/);
  expect(await evaluate("await page.locator('li').count()")).toBe(2);
  expect(await resume()).toMatchObject({ value: 1 });
});

it('says that the browser has crashed', async () => {
  const { evaluate, resume, mark } = await stopped();
  process.kill((await processOf(mark, 'browser')).pid, 'SIGKILL');
  await expect.poll(() => evaluate('await page.title()')).toMatch(/^Error: /);
  expect(await resume()).toMatchObject({ error: { code: 'browser_crashed' } });
});
