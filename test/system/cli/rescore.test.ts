import { cp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { missingPrograms } from '../../../src/environments/desktop/programs.ts';
import { PagesFile } from '../../../src/traces/pages-file.ts';
import { fileIn, temporaryFolder } from '../../unit/runs/tasks.ts';
import { root } from '../programs.ts';
import { hasPython } from '../python.ts';
import { shareCommandLine } from './in-process.ts';
import { start } from './program.ts';

const missing = await missingPrograms();
const cli = shareCommandLine();

interface Rescored {
  readonly run_id: string;
  readonly task_id: string;
  readonly old: number | null;
  readonly new: number | null;
  readonly calls: readonly {
    function: string;
    args: unknown[];
    old: number | null;
    new: number | null;
    reason: string;
  }[];
  readonly steps?: readonly { index: number; reward: number | null }[];
}

/** With variables in a process of its own. */
async function json<T>(args: readonly string[], cwd: string, environment?: Record<string, string>) {
  const parameters = [...args, '--json'];
  const { out, code, err } =
    environment === undefined ? await cli(parameters, cwd) : await start(parameters, cwd, environment).ended;
  return { value: JSON.parse(out) as T, code, err };
}

const rescore = (args: readonly string[], cwd: string, environment?: Record<string, string>) =>
  json<readonly Rescored[]>(['rescore', ...args], cwd, environment);

const run = async (args: readonly string[], cwd: string, environment?: Record<string, string>) =>
  (
    await json<{ runs: readonly { reward: number | null; trace_dir: string; task_id: string }[] }>(
      ['run', ...args, '--out', 'jobs'],
      cwd,
      environment,
    )
  ).value.runs;

it('re-scoring a run of each example gives the recorded values, at its end and at each step', async () => {
  const cwd = await temporaryFolder();
  const names = ['capitals', 'copy-paste', 'login', 'newsletter', 'shop', 'todo'];
  for (const name of names) await cp(join(root, 'examples', name), join(cwd, name), { recursive: true });
  const runs = await run(names, cwd);
  const { value, code } = await rescore(
    [join('jobs', (await readdir(join(cwd, 'jobs')))[0] ?? ''), '--every-step'],
    cwd,
  );
  expect(code).toBe(1);
  const rewards = (all: readonly { task_id: string; reward: number | null }[]) =>
    all.map(({ task_id, reward }) => [task_id, reward]).sort();
  expect(rewards(value.map((one) => ({ ...one, reward: one.new })))).toEqual(rewards(runs));
  for (const { old, new: now, calls, steps } of value) {
    expect(now).toBe(old);
    expect(calls.map((call) => call.new)).toEqual(calls.map((call) => call.old));
    expect(steps?.[0]).toEqual({ index: 0, reward: 0 });
    expect(steps?.at(-1)?.reward).toBe(now);
  }
});

it('a changed task, a missing task, and incomplete recordings', async () => {
  const cwd = await temporaryFolder();
  await fileIn(cwd, 'p.html', '<input id=i><p>Hello</p><script>var cart = 3</script>');
  await fileIn(cwd, 'mine.functions.ts', 'export const cart = ({ page }) => page.evaluate(() => window.cart === 3);\n');
  await fileIn(cwd, 'a.actions', "fill('#i', 'x')\nsend_msg_to_user('done')\n");
  const write = (evaluate: readonly unknown[], id = 'a') =>
    writeFile(
      join(cwd, 'a.task.json'),
      JSON.stringify({ id, prompt: 'p', gym: { type: 'hud-browser' }, setup: ['goto', 'p.html'], evaluate }),
    );
  await write([
    ['page_contains', 'Hullo'],
    ['response_is', 'done'],
  ]);
  const [made] = await run(['.'], cwd);
  const dir = made?.trace_dir ?? '';
  expect(made?.reward).toBe(0.5);

  await write([['page_contains', 'Hello'], ['response_is', 'done'], ['cart']]);
  const [changed] = (await rescore([dir], cwd)).value;
  expect(changed).toMatchObject({ task_id: 'a', old: 0.5, new: null });
  expect(changed?.calls).toMatchObject([
    { function: 'page_contains', args: ['Hello'], old: 0, new: 1 },
    { function: 'response_is', old: 1, new: 1 },
    {
      function: 'cart',
      old: null,
      new: null,
      reason: expect.stringContaining("`cart` from the page's scripts"),
    },
  ]);

  await write([
    ['page_contains', 'Hello'],
    ['response_is', 'done'],
  ]);
  expect(await rescore([dir], cwd)).toMatchObject({ code: 0, value: [{ old: 0.5, new: 1 }] });

  // The last page is cut off; what does not need it is judged all the same.
  await truncate(join(dir, 'pages.br'), 200);
  expect((await PagesFile.open(dir))?.indexes.length ?? 0).toBeLessThan(3);
  const [cut] = (await rescore([dir], cwd)).value;
  expect(cut?.calls).toMatchObject([{ new: null, reason: expect.stringContaining('no recorded page') }, { new: 1 }]);
  await rm(join(dir, 'pages.br'));
  const [without] = (await rescore([dir], cwd)).value;
  expect(without?.calls).toMatchObject([
    { new: null, reason: expect.stringContaining('no recorded pages') },
    { new: 1 },
  ]);

  await write([], 'b');
  const [lost] = (await rescore([dir], cwd)).value;
  expect(lost).toMatchObject({ old: 0.5, new: null, calls: [{ reason: expect.stringContaining('no task “a”') }, {}] });
  expect(await rescore(['.'], cwd)).toMatchObject({ code: 2, value: { error: { code: 'trace_missing' } } });
});

it('answers are re-scored without a browser', async () => {
  const cwd = await temporaryFolder();
  await cp(join(root, 'examples', 'capitals'), join(cwd, 'capitals'), { recursive: true });
  const nowhere = { TASKWRIGHT_BROWSER: '/nowhere/browser' };
  const runs = await run(['capitals'], cwd, nowhere);
  const { value, code } = await rescore(
    runs.map((one) => one.trace_dir),
    cwd,
    nowhere,
  );
  expect(value.map((one) => one.new)).toEqual([1, 1, 1]);
  expect(code).toBe(0);
});

it('the pages of a masked run contain no password, neither before nor after it is recognized', async () => {
  const cwd = await temporaryFolder();
  await fileIn(
    cwd,
    'p.html',
    `<input type=password id=p><input id=copy><p id=t></p>
     <script>p.oninput = () => { t.textContent = p.value; document.cookie = 'x=' + p.value }</script>`,
  );
  await fileIn(cwd, 'a.actions', "fill('#copy', 'hunter2')\nfill('#p', 'hunter2')\nnoop(1)\n");
  await writeFile(
    join(cwd, 'a.task.json'),
    JSON.stringify({
      id: 'a',
      prompt: 'p',
      gym: { type: 'hud-browser' },
      setup: ['goto', 'p.html'],
      evaluate: ['element_exists', '#t'],
    }),
  );
  const [made] = await run(['.', '--mask'], cwd);
  const pages = await PagesFile.open(made?.trace_dir ?? '');
  expect(pages?.indexes.length).toBe(4);
  for (const index of pages?.indexes ?? []) {
    const { page, actions } = pages?.at(index) ?? { page: null, actions: [] };
    expect(Buffer.from(page ?? []).toString() + JSON.stringify(actions)).not.toContain('hunter2');
  }
  expect(await readFile(join(made?.trace_dir ?? '', 'trace.jsonl'), 'utf8')).not.toContain('hunter2');
  const [again] = (await rescore([made?.trace_dir ?? ''], cwd)).value;
  expect(again?.calls[0]).toMatchObject({ new: 1, reason: expect.stringContaining('masked secrets') });
});

it.runIf(hasPython('recorded runs of functions in Python'))('by functions in Python, at each step', async () => {
  const cwd = await temporaryFolder();
  await fileIn(cwd, 'p.html', '<title>Shop</title><input id=i oninput="o.textContent = value"><p id=o>none</p>');
  const says = (word: string) =>
    fileIn(
      cwd,
      'mine.functions.py',
      `def says(state, word: str):\n    return "${word}" in state.text and word in state.html\n`,
    );
  await says('cup');
  await fileIn(cwd, 'a.actions', "fill('#i', 'mug')\n");
  const gym = { type: 'hud-browser' };
  const task = { id: 'a', prompt: 'p', gym, setup: ['goto', 'p.html'], evaluate: ['says', 'mug'] };
  await fileIn(cwd, 'a.task.json', JSON.stringify(task));
  const [made] = await run(['.'], cwd);
  expect(made?.reward).toBe(0);

  await says('mug');
  const [judged] = (await rescore([made?.trace_dir ?? '', '--every-step'], cwd)).value;
  expect(judged).toMatchObject({ old: 0, new: 1, calls: [{ function: 'says', old: 0, new: 1 }] });
  expect(judged?.steps?.map(({ reward }) => reward)).toEqual([0, 1, 1].slice(0, judged?.steps?.length));
});

it('files that the agent changed are evaluated; others are reported as not recorded', async () => {
  const cwd = await temporaryFolder();
  await fileIn(cwd, 'mine.functions.ts', 'export const listed = ({ folder }) => folder !== null;\n');
  await fileIn(cwd, 'answers.functions.ts', "export const said = ({ response }) => response === 'done';\n");
  await fileIn(cwd, 'a.actions', "write_file('a.txt', 'b')\nresponse('done')\n");
  const evaluate = [
    ['file_exists', 'a.txt'],
    ['diff_matches', 'b'],
    ['file_contains', 'a.txt', 'b'],
    ['said'],
    ['response_is', 'done'],
    ['file_exists', 'kept.txt'],
    ['command_succeeds', 'true'],
    ['listed'],
  ];
  const gym = { type: 'coding', files: { 'kept.txt': 'as it was' } };
  const write = (calls: readonly (readonly string[])[]) =>
    fileIn(cwd, 'a.task.json', JSON.stringify({ id: 'a', prompt: 'p', gym, evaluate: calls }));
  await write(evaluate);
  const [made] = await run(['a.task.json'], cwd);
  expect(made?.reward).toBe(1);
  const dir = made?.trace_dir ?? '';

  const files =
    'the files of a run are not recorded whole, and no command runs again: run the task again to judge this';
  const undecided = { new: null, reason: files };
  const { value, code } = await rescore([dir, '--every-step'], cwd);
  expect(code).toBe(1);
  expect(value).toMatchObject([{ old: 1, new: null }]);
  expect(value[0]?.calls).toMatchObject([
    ...evaluate.slice(0, 5).map(() => ({ new: 1 })),
    undecided,
    undecided,
    undecided,
  ]);
  expect(value[0]?.steps?.map(({ reward }) => reward)).toEqual(value[0]?.steps?.map(() => null));
  const { out } = await cli(['rescore', dir], cwd);
  expect(out).toContain('0 of 1 changed; 1 cannot be re-scored from its recording');

  // A changed task is judged by the files that are recorded.
  await write([
    ['file_contains', 'a.txt', 'c'],
    ['diff_matches', '\\+b'],
  ]);
  const [changed] = (await rescore([dir], cwd)).value;
  expect(changed).toMatchObject({
    old: 1,
    new: 0.5,
    calls: [{ new: 0, reason: expect.stringContaining('“c”') }, { new: 1 }],
  });
  // A text that is gone, or was changed since, is not taken for what the agent left.
  for (const name of await readdir(join(dir, 'files'))) await writeFile(join(dir, 'files', name), 'c');
  const gone = 'the content of “a.txt” is not recorded: run the task again to judge this';
  expect((await rescore([dir], cwd)).value[0]?.calls).toMatchObject([
    { new: null, reason: gone },
    { new: null, reason: gone },
  ]);
  await write(evaluate);

  // Made again, what it did is judged by what is there then.
  expect(await run(['a.task.json', '--agent', `replay:${dir}`], cwd)).toMatchObject([{ reward: 1 }]);
});

it.runIf(hasPython('functions in Python'))(
  'a Python function cannot read other files in place of recorded ones',
  async () => {
    const cwd = await temporaryFolder();
    await fileIn(cwd, 'a.functions.py', 'def none_left(state):\n    return len(state.files) == 0\n');
    await fileIn(cwd, 'a.actions', "response('done')\n");
    const evaluate = ['none_left'];
    await fileIn(cwd, 'a.task.json', JSON.stringify({ id: 'a', prompt: 'p', gym: { type: 'coding' }, evaluate }));
    const [made] = await run(['a.task.json'], cwd);
    expect(made?.reward).toBe(1);
    const { value } = await rescore([made?.trace_dir ?? ''], cwd);
    expect(value[0]?.calls).toMatchObject([{ new: null, reason: expect.stringContaining('not recorded whole') }]);
  },
);

it('a folder without runs is reported, and an unreadable trace is not skipped', async () => {
  const cwd = await temporaryFolder();
  await fileIn(cwd, 'a.actions', "response('done')\n");
  const tasks = ['a', 'b'].map((id) => ({ id, prompt: 'p', gym: 'qa', evaluate: [['response_is', 'done']] }));
  await fileIn(cwd, 'a.tasks.json', JSON.stringify(tasks));
  const runs = await run(['a.tasks.json', '--agent', 'replay:a.actions'], cwd);
  const trace = join(runs[0]?.trace_dir ?? '', 'trace.jsonl');
  await rm(trace);
  await symlink('trace.jsonl', trace);

  const { code, err, value } = await rescore([join('jobs', (await readdir(join(cwd, 'jobs')))[0] ?? '')], cwd);
  expect({ code, judged: value.map(({ task_id }) => task_id) }).toEqual({ code: 2, judged: [runs[1]?.task_id] });
  expect(err).toContain('cannot be read: the symbolic link refers to itself');

  const named = await cli(['rescore', 'a.tasks.json'], cwd);
  expect(named.code).toBe(2);
  expect(named.err).toContain('a.tasks.json cannot be read');
});

it.runIf(hasPython('custom environments'))('the controller of a recorded run is not called again', async () => {
  const cwd = await temporaryFolder();
  await cp(join(root, 'examples', 'lights'), cwd, { recursive: true });
  const [made] = await run(['lights.tasks.yaml#lights-out'], cwd);
  expect(made?.reward).toBe(1);
  const { value } = await rescore([made?.trace_dir ?? ''], cwd);
  expect(value[0]).toMatchObject({
    new: null,
    calls: [{ new: null, reason: 'the state of a controller is not recorded: run the task again to judge this' }],
  });
});

it.skipIf(missing.length > 0)('functions cannot access the desktop of a recorded run', async () => {
  const cwd = await temporaryFolder();
  await fileIn(cwd, 'a.actions', "response('done')\n");
  const evaluate = [
    ['window_exists', 'x'],
    ['clipboard_is', 'x'],
    ['file_exists', 'x'],
    ['response_is', 'done'],
  ];
  await fileIn(cwd, 'a.task.json', JSON.stringify({ id: 'a', prompt: 'p', gym: 'hud-ubuntu', evaluate }));
  const [made] = await run(['a.task.json'], cwd);
  const { value } = await rescore([made?.trace_dir ?? ''], cwd);
  const undecided = { new: null, reason: 'the state of a desktop is not recorded: run the task again to judge this' };
  expect(value[0]?.calls).toMatchObject([undecided, undecided, undecided, { new: 1 }]);
});
