import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openRun } from '../../../src/traces/store.ts';
import type { Run, Step } from '../../../src/traces/trace.ts';
import { temporaryFolder } from '../../unit/runs/tasks.ts';
import { root } from '../programs.ts';
import { place, task } from '../server/harness.ts';
import { shareCommandLine } from './in-process.ts';
import { start } from './program.ts';

const cli = shareCommandLine();

let folder = '';
beforeEach(async () => {
  folder = await temporaryFolder();
});

/** Never returns, as an endless loop does, and leaves the processor to the other tests. */
const BLOCKS = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

interface Ran {
  readonly code: number | null;
  readonly runs: readonly Run[];
  readonly err: string;
}

/** With variables in a process of its own. */
async function run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ran> {
  const words = ['run', ...args, '--json'];
  const { code, out, err } =
    environment === undefined ? await cli(words, folder) : await start(words, folder, environment).ended;
  return { code, runs: (JSON.parse(out) as { runs: Run[] }).runs, err };
}

async function stepsOf(one: Run | undefined): Promise<readonly Step[]> {
  const steps = await (await openRun(one?.trace_dir ?? '')).steps();
  return steps.filter(({ source }) => source === 'agent');
}

/** A task in code with these methods in place of the ordinary ones, and its solution. */
async function write(
  methods: string,
  { actions = ["click('#go')", "click('#go')", "click('#go')"], row = {}, file = 'count.functions.ts' } = {},
): Promise<void> {
  const text = `import { CustomBrowserTask, registerCustomTask } from 'taskwright';
let made = 0;
class Count extends CustomBrowserTask {
  html() {
    return '<title>Count</title><button id="go" onclick="n.textContent++">Go</button> <b id="n">0</b> <p hidden>Success!</p>';
  }
  reward({ text }, action: string, error: string | null) { return error === null ? Number(/\\d+/.exec(text)?.[0]) / 4 : -0.1; }
  done() { return false; }
  ${methods}
}
registerCustomTask('count', Count);
`;
  await writeFile(join(folder, file), text);
  const gym = { type: 'browsergym', benchmark: 'custom', task_name: 'count' };
  await writeFile(join(folder, 'count.task.json'), JSON.stringify({ id: 'count', prompt: 'Count.', gym, ...row }));
  await writeFile(join(folder, 'count.actions'), actions.join('\n'));
}

describe('taskwright run of a custom task in code', () => {
  it('solves the examples, whose classes provide pages and rewards, and one the prompt', async () => {
    await cp(join(root, 'examples', 'custom-tasks'), folder, { recursive: true });
    const { code, runs } = await run(['custom.tasks.json']);
    expect(code).toBe(0);
    expect(runs.map(({ task_id, reward, steps }) => [task_id, reward, steps])).toEqual([
      ['copy-the-note', 1, 2],
      ['book-the-room', 1, 4],
    ]);
    const { header } = await openRun(runs[1]?.trace_dir ?? '');
    expect(header.prompt).toMatch(/^Find out which room is free/);
    expect((await stepsOf(runs[1])).map(({ reward }) => reward)).toEqual([0.3, 0.3, 0.3, 1]);
  });

  it('passes visible text, actions, and failures of each step to the class', async () => {
    await write(
      `extract(page) { return page.locator('b').count().then((bold) => ({ bold })); }
       override reward({ url, title, text, content, custom_data }, action, error) {
         const seen = [url, title, text, content.includes('Success!'), custom_data.bold, action, error?.split('\\n')[0]];
         throw new Error(JSON.stringify(seen));
       }`,
      { actions: ["click('#go')"] },
    );
    const { runs } = await run(['count.task.json']);
    expect(runs[0]?.error?.message).toContain(`["http://task.localhost/","Count","Go 1",true,1,"click('#go')",null]`);
  });

  it('records the reward of each step, including failed actions and negative rewards', async () => {
    await write('', { actions: ["click('#go')", "click('#nowhere')", "click('#go')"] });
    const { runs } = await run(['count.task.json']);
    expect((await stepsOf(runs[0])).map(({ reward }) => reward)).toEqual([0.25, -0.1, 0.5]);
    expect(runs[0]).toMatchObject({ status: 'completed', reward: 0.5, success: false, truncated: false });
  });

  it('ends when the class reports that it is done', async () => {
    await write("override done({ text }) { return text.includes('2'); }");
    const { runs } = await run(['count.task.json']);
    expect(runs[0]).toMatchObject({ steps: 2, reward: 0.5, truncated: false });
    const steps = await stepsOf(runs[0]);
    expect(steps.map(({ terminated }) => terminated)).toEqual([false, true]);
    expect(steps.at(-1)?.info['task_info']).toEqual({ done: true, custom_data: {} });
  });

  it.each([
    ['the class’s', {}, [], 2],
    ['the task’s before it', { max_steps: 1 }, [], 1],
    ['the person’s before both', { max_steps: 1 }, ['--max-steps', '3'], 3],
  ] as const)('ends at the step limit: %s', async (_, row, args, steps) => {
    await write('override maxSteps = 2;', { row, actions: Array.from({ length: 5 }, () => "click('#go')") });
    const { runs } = await run(['count.task.json', ...args]);
    expect(runs[0]).toMatchObject({ steps, reward: steps / 4, truncated: true });
  });

  it('takes the reward from evaluate calls, and keeps that of the class in each step', async () => {
    await write('', { row: { evaluate: ['text_matches', '#n', '^3$'] } });
    const { runs } = await run(['count.task.json']);
    expect(runs[0]).toMatchObject({ reward: 1, success: true });
    expect((await stepsOf(runs[0])).map(({ reward }) => reward)).toEqual([0.25, 0.5, 0.75]);
  });

  it.each([
    [
      'a reward that is none',
      'override reward() { return Number.NaN; }',
      /\(count\.functions\.ts\): reward\(\) returned NaN/,
    ],
    ['no answer at all', 'override done() {}', /done\(\) returned undefined: true or false is needed/],
    [
      'an error in it',
      "override done() {\n    throw new Error('lost');\n  }",
      /\(count\.functions\.ts:10:11\): done\(\) failed: lost/,
    ],
    ['an error in its page', 'override html() { return missing; }', /html\(\) failed: missing is not defined/],
    ['a step limit that is none', 'override maxSteps = 0;', /its maxSteps is 0: a whole number from 1 is needed/],
  ])('ends with an explanation for %s', async (_, methods, message) => {
    await write(methods);
    const { code, runs } = await run(['count.task.json']);
    expect(code).toBe(1);
    expect(runs[0]).toMatchObject({ status: 'error', reward: null, error: { code: 'task_failed' } });
    expect(runs[0]?.error?.message).toMatch(message);
  });

  it('isolates the modules and the object of each run', async () => {
    await write('id = ++made; override reward() { return this.id / 10; }', { actions: ["click('#go')"] });
    const { runs } = await run(['count.task.json', '--group', '3']);
    expect(runs.map(({ reward }) => reward)).toEqual([0.1, 0.1, 0.1]);
  });

  it('loads the class from the module in OPENENV_TASK_MODULE, which no page can read', async () => {
    await write(
      "override reward({ content }) { return content.includes('not served') ? 1 : 0; } override done() { return true; }",
      { file: 'cards.mjs', actions: ["goto('http://task.localhost/cards.mjs')"] },
    );
    const text = await readFile(join(folder, 'cards.mjs'), 'utf8');
    await writeFile(join(folder, 'cards.mjs'), text.replaceAll(/: string(?: \| null)?|override /g, ''));
    const without = await run(['count.task.json']);
    expect(without).toMatchObject({ code: 2, runs: [{ error: { code: 'custom-task' } }] });
    const { runs } = await run(['count.task.json'], { OPENENV_TASK_MODULE: 'cards' });
    expect(runs[0]).toMatchObject({ status: 'completed', reward: 1 });
  });

  it('fails only the run whose class never returns, and names the class', { timeout: 90_000 }, async () => {
    await write(`override reward() { ${BLOCKS} }`);
    const gym = { type: 'browsergym', benchmark: 'custom', task_name: 'calm' };
    const calm = `import { CustomBrowserTask, registerCustomTask } from 'taskwright';
      registerCustomTask('calm', class extends CustomBrowserTask {
        html() { return '<button id="go">Go</button>'; } reward() { return 1; } done() { return true; } });`;
    await writeFile(join(folder, 'calm.functions.ts'), calm);
    await writeFile(join(folder, 'calm.task.json'), JSON.stringify({ id: 'calm', prompt: 'Go.', gym }));
    await writeFile(join(folder, 'calm.actions'), "click('#go')");
    const early = calm.replace("'calm'", "'early'").replace('html() { ', `html() { ${BLOCKS} `);
    await writeFile(join(folder, 'early.functions.ts'), early);
    const row = { id: 'early', prompt: 'Go.', gym: { ...gym, task_name: 'early' } };
    await writeFile(join(folder, 'early.task.json'), JSON.stringify(row));
    const all = ['count.task.json', 'calm.task.json', 'early.task.json'];
    await writeFile(join(folder, 'early.actions'), "click('#go')");
    const { runs } = await run([...all, '--concurrency', '3']);
    expect(runs.map(({ status, error }) => [status, error?.code])).toEqual([
      ['error', 'session_hung'],
      ['completed', undefined],
      ['error', 'session_hung'],
    ]);
    expect(runs[0]?.error?.message).toContain('“count” for an endless loop in extract(), reward() or done()');
    expect(runs[2]?.error?.message).toContain('“early” for an endless loop in its constructor, html() or goal()');
  });
});

it('A class that was saved again is used from the next reset on, in the same session', async () => {
  await write('override reward() { return 0.1; }');
  const { placement } = place();
  const server = await placement.server();
  const { session } = await server.request('session.open', {});
  onTestFinished(async () => {
    await server.request('session.close', { session });
  });
  const env = { type: 'browsergym', benchmark: 'custom', task_name: 'count' };
  const count = task('', { file: join(folder, 'count.task.json'), initial_state: {}, env });
  const rewardNow = async (): Promise<number | null> => {
    const start = await server.request('session.reset', { session, task: count, files: { folder }, seed: 0 });
    expect(start).toMatchObject({ reward: 0, goal: '', max_steps: 50 });
    return (await server.request('session.step', { session, actions: ["click('#go')"] })).reward;
  };
  expect(await rewardNow()).toBe(0.1);
  await write('override reward() { return 0.25; }');
  expect(await rewardNow()).toBe(0.25);
});
