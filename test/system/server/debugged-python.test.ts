import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { hasPython } from '../python.ts';
import { allOf, nothingLeft, place, processesOf, task } from './harness.ts';
import { PythonClient } from './python-client.ts';

const FUNCTIONS = `def ripe(state, wanted: str) -> dict:
    """Whether the fruit is ripe."""
    title = state.title
    return {"value": title == wanted, "reason": title}


async def later(wanted: str) -> bool:
    found = wanted.upper()
    return found == "PLUM"


def rotten(wanted: str) -> bool:
    raise ValueError(wanted)


def titled(page, wanted: str) -> bool:
    title = page.title()
    return title == wanted
`;

const CLASS = `from custom_base import CustomBrowserGymEnvironment
from custom_tasks import register_custom_task


@register_custom_task("count")
class Count(CustomBrowserGymEnvironment):
    async def _get_html_content(self):
        return "<title>Count</title>"

    def _calculate_reward(self, page_data, action, error):
        title = page_data["title"]
        return len(title) / 10

    async def _check_done(self, page_data):
        done = page_data["title"] == "Count"
        return done
`;

/** A session whose task calls functions in Python from line 7 of its file. */
async function fruit() {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-debugged-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const functions = join(folder, 'fruit.functions.py');
  await writeFile(functions, FUNCTIONS);
  await writeFile(join(folder, 'fruit.task.json'), '\n'.repeat(12));
  const { placement, mark } = place();
  const server = await placement.server();
  const { session } = await server.request('session.open', {});
  const start = task('<title>Plum</title>', { file: join(folder, 'fruit.task.json') });
  await server.request('session.reset', { session, task: start, files: { folder }, seed: 0 });
  const range = { start: { line: 6, character: 4 }, end: { line: 6, character: 20 } };
  const evaluate = (name: string) =>
    server.request('session.evaluate', {
      ...{ session, call: { function: name, args: ['Plum'], range }, limit_ms: 2_000 },
    });
  const debug = (name: string) =>
    server.request('session.debugPython', { session, file: 'fruit.task.json', function: name });
  const attach = (name: string) => PythonClient.attach(server, session, () => debug(name), folder);
  return { folder, functions, server, session, mark, evaluate, debug, attach };
}

describe.runIf(hasPython('stepping in functions in Python', 'debugpy', 'playwright'))('a function in Python', () => {
  test('stops on its first line without a time limit, with the task file as its caller', async () => {
    const { folder, functions, attach, evaluate } = await fruit();
    const client = await attach('ripe');
    expect(client.entry).toMatchObject({ file: 'fruit.functions.py', line: 3 });
    await client.breakAt(functions, [3]);
    const outcome = evaluate('ripe');

    const thread = await client.stopped();
    expect(await client.places(thread)).toEqual([`${functions}:3`, `${join(folder, 'fruit.task.json')}:7`]);
    expect(await client.variables(thread)).toMatchObject({ wanted: "'Plum'" });
    // The console of the editor asks the page while Python stands still.
    expect(await client.ask('evaluate', { expression: 'state.url', ...(await client.frame(thread)) })).toMatchObject({
      result: expect.stringContaining('http'),
    });
    // Longer than its limit and the grace beyond.
    await delay(3_300);
    await client.ask('continue', { threadId: thread });

    expect(await outcome).toMatchObject({ value: 1, reason: 'Plum' });
  });

  test.for([
    ['ripe', 3, { value: 1 }],
    ['later', 8, { value: 1 }],
    ['titled', 17, { value: 1 }],
    ['rotten', 13, { error: { code: 'call_threw', message: expect.stringContaining('ValueError: Plum') } }],
  ] as const)('%s is stepped through to beyond its end, which is in the task file', async ([name, line, outcome]) => {
    const { folder, functions, attach, evaluate } = await fruit();
    const client = await attach(name);
    await client.breakAt(functions, [line]);
    const called = evaluate(name);

    const seen: string[] = [];
    for (let thread = await client.stopped(); ; thread = await client.stopped()) {
      const [top = ''] = await client.places(thread);
      seen.push(top);
      if (top.startsWith(join(folder, 'fruit.task.json'))) {
        await client.ask('continue', { threadId: thread });
        break;
      }
      await client.ask('next', { threadId: thread });
    }
    expect(await called).toMatchObject(outcome);
    expect(seen.slice(0, -1)).toEqual(
      [line, line + 1].slice(0, name === 'rotten' ? 1 : 2).map((one) => `${functions}:${one}`),
    );
    // Nothing of the last step is left.
    await client.breakAt(functions, []);
    expect(await evaluate(name)).toMatchObject(outcome);
  });

  test('is found after its file was edited', async () => {
    const { functions, attach, evaluate, debug } = await fruit();
    const client = await attach('ripe');
    await writeFile(functions, `\n\n${FUNCTIONS}`);
    expect(await debug('ripe')).toMatchObject({ entry: { line: 5 } });
    await client.breakAt(functions, [5]);
    const outcome = evaluate('ripe');

    const thread = await client.stopped();
    expect((await client.places(thread))[0]).toBe(`${functions}:5`);
    await client.ask('continue', { threadId: thread });
    expect(await outcome).toMatchObject({ value: 1 });
  });

  test('continues when the editor disconnects, and can be stopped again', async () => {
    const { functions, attach, evaluate } = await fruit();
    const client = await attach('ripe');
    await client.breakAt(functions, [3]);
    const outcome = evaluate('ripe');
    await client.stopped();
    await client.ask('disconnect', { terminateDebuggee: false });
    expect(await outcome).toMatchObject({ value: 1 });
    await client.gone;

    const next = await attach('ripe');
    await next.breakAt(functions, [4]);
    const again = evaluate('ripe');
    await next.ask('continue', { threadId: await next.stopped() });
    expect(await again).toMatchObject({ value: 1 });
  });

  test('that is stopped ends with its session', async () => {
    const { functions, attach, evaluate, server, session, mark } = await fruit();
    const client = await attach('ripe');
    await client.breakAt(functions, [3]);
    const outcome = expect(evaluate('ripe')).rejects.toMatchObject({ code: 'session_closed' });
    await client.stopped();
    await server.request('session.close', { session });
    await outcome;
    await vi.waitFor(
      async () => {
        const pythons = (await processesOf(mark)).filter(({ command }) => command.includes('functions-host.py'));
        expect(pythons).toEqual([]);
      },
      { timeout: 60_000 },
    );
    // While it starts a process there are two of its name for a moment.
    await vi.waitFor(async () => expect(await allOf(mark, 'server')).toHaveLength(1), { timeout: 60_000 });
  });

  test('continues if no editor connects', async () => {
    const { debug, server, session, mark } = await fruit();
    await debug('ripe');
    await server.request('session.close', { session });
    await server.dispose();
    await nothingLeft(mark);
  });

  test('without debugpy reports the Python and how to install debugpy', async () => {
    const { folder, debug, evaluate } = await fruit();
    await promisify(execFile)('python3', ['-m', 'venv', '--without-pip', join(folder, '.venv')]);
    await expect(debug('ripe')).rejects.toMatchObject({
      code: 'not_debugged',
      message: `${join(folder, '.venv', 'bin', 'python3')} does not have the package debugpy: pip install debugpy`,
    });
    expect(await evaluate('ripe')).toMatchObject({ value: 1 });
  });

  test('that the file does not define is reported', async () => {
    const { debug } = await fruit();
    await expect(debug('nothing_here')).rejects.toMatchObject({
      code: 'not_debugged',
      message: 'is no longer defined in the file',
    });
  });
});

/** A session for a task with a class in Python. */
async function counting() {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-debugged-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'count.py');
  await writeFile(file, CLASS);
  const { placement } = place();
  const server = await placement.server();
  const { session } = await server.request('session.open', {});
  const env = { type: 'browsergym', benchmark: 'custom', task_name: 'count' };
  const start = task('', { file: join(folder, 'count.task.json'), env, initial_state: {} });
  const reset = (files = { folder }) => server.request('session.reset', { session, task: start, files, seed: 0 });
  return { folder, file, server, session, reset };
}

describe.runIf(hasPython('debugging task classes in Python', 'debugpy'))('a task class in Python', () => {
  test('stops at breakpoints in what runs before the first action', async () => {
    const { folder, file, server, session, reset } = await counting();
    // As in a container that has no folder of this machine.
    const files = { contents: { 'count.py': Buffer.from(CLASS) } };
    const provided = await server.request('session.provideFiles', { session, files });
    expect(provided.folder).not.toBe(folder);
    const debug = () =>
      server.request('session.debugPython', { session, file: 'count.task.json', function: null, ...provided });
    const client = await PythonClient.attach(server, session, debug, folder, provided.folder);
    await client.breakAt(file, [8, 12]);
    const started = reset(provided);

    const first = await client.stopped();
    expect((await client.places(first))[0]).toBe(`${file}:8`);
    await client.ask('continue', { threadId: first });
    // The class judges the first page.
    const second = await client.stopped();
    expect((await client.places(second))[0]).toBe(`${file}:12`);
    expect(await client.variables(second)).toMatchObject({ action: "''", title: "'Count'" });
    await client.ask('continue', { threadId: second });
    expect(await started).toMatchObject({ reward: 0, warning: expect.stringContaining('before the agent has acted') });
  });

  test('stops at breakpoints in its methods, and steps from one into the next', async () => {
    const { folder, file, server, session, reset } = await counting();
    await reset();
    const debug = () => server.request('session.debugPython', { session, file: 'count.task.json', function: null });
    const client = await PythonClient.attach(server, session, debug, folder);
    expect(client.entry).toBeNull();
    await client.breakAt(file, [12, 15]);
    const stepped = server.request('session.step', { session, actions: ['noop()'] });

    const first = await client.stopped();
    expect((await client.places(first))[0]).toBe(`${file}:12`);
    expect(await client.variables(first)).toMatchObject({ title: "'Count'" });
    await client.ask('continue', { threadId: first });
    const second = await client.stopped();
    expect((await client.places(second))[0]).toBe(`${file}:15`);
    await client.ask('next', { threadId: second });
    const third = await client.stopped();
    expect((await client.places(third))[0]).toBe(`${file}:16`);
    await client.ask('continue', { threadId: third });
    expect(await stepped).toMatchObject({ reward: 0.5, terminated: true });

    // The instance is in this process, which a second debugger cannot enter.
    await client.ask('disconnect', { terminateDebuggee: false });
    await client.gone;
    await expect(debug()).rejects.toMatchObject({ code: 'not_debugged', message: expect.stringContaining('next run') });
    expect(await server.request('session.step', { session, actions: ['noop()'] })).toMatchObject({ reward: 0.5 });
  });
});
