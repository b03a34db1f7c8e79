import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { openRun } from '../../../src/traces/store.ts';
import type { Run, Step } from '../../../src/traces/trace.ts';
import { fileIn, temporaryFolder } from '../../unit/runs/tasks.ts';
import { root } from '../programs.ts';
import { serve } from '../serving/serving.ts';
import { shareCommandLine } from './in-process.ts';
import { start } from './program.ts';

const PASSWORD = 'lovelace';
const cli = shareCommandLine();

let cwd = '';
beforeEach(async () => {
  cwd = await temporaryFolder();
  await cp(join(root, 'examples', 'login'), join(cwd, 'login'), { recursive: true });
});

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly run: Run;
  readonly steps: readonly Step[];
  /** Everything that the run left on disk, as bytes. */
  readonly disk: Buffer;
}

const run = (address: string, ...args: string[]): Promise<Ran> => runBy(cli, address, ...args);

/** In a process of its own, which also prints what functions log. */
const runAlone = (address: string, ...args: string[]): Promise<Ran> =>
  runBy((words) => start(words, cwd).ended, address, ...args);

async function runBy(
  by: (args: readonly string[], cwd: string) => Promise<Pick<Ran, 'code' | 'out' | 'err'>>,
  address: string,
  ...args: string[]
): Promise<Ran> {
  const { code, out, err } = await by(
    ['run', address, '--json', '--out', 'runs', '--junit', 'runs/junit.xml', ...args],
    cwd,
  );
  const [made] = (JSON.parse(out) as { runs: Run[] }).runs;
  if (made === undefined) throw new Error(err);
  const steps = await (await openRun(made.trace_dir ?? '')).steps();
  return { code, out, err, run: made, steps, disk: await bytesIn(join(cwd, 'runs')) };
}

/** The content of all files in a folder, decompressed. */
async function bytesIn(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = files.map(async ({ parentPath, name }) => {
    const content = await readFile(join(parentPath, name));
    return name.endsWith('.br') ? brotliDecompressSync(content) : content;
  });
  return Buffer.concat(await Promise.all(contents));
}

function actions(steps: readonly Step[]): unknown[] {
  return steps.flatMap(({ source, action }) => (source === 'agent' ? [action] : []));
}

describe('a masked run in a real browser', () => {
  it('logs in with a typed password, and records no byte of it', async () => {
    const ran = await runAlone('login/login.taskset.json#log-in', '--mask');
    expect(ran).toMatchObject({ code: 0, run: { reward: 1 } });
    expect(actions(ran.steps)).toContain("fill('#password', '<secret>…</secret>')");
    // The prompt says the password: it was written before anybody knew that it is one.
    expect(ran.disk.includes(PASSWORD)).toBe(false);
    expect(ran.out + ran.err).not.toContain(PASSWORD);
    const shown = await start(['show', ran.run.trace_dir ?? ''], cwd).ended;
    expect(shown.out).not.toContain(PASSWORD);
    const trajectory = await cli(['show', ran.run.trace_dir ?? '', '--format', 'hud-0.2'], cwd);
    expect(trajectory).toMatchObject({ code: 0 });
    expect(trajectory.out).not.toContain(PASSWORD);
  });

  it.each([
    ['key by key', [...PASSWORD].map((key) => `press('#password', '${key}')`).join('\n')],
    [
      'with keys held down, upper case with shift',
      `click('#password')\n${[...PASSWORD].map((key) => `{"type":"keydown","keys":["${key}"]}\n{"type":"keyup","keys":["${key}"]}`).join('\n')}\nkeyboard_press('Shift+a')`,
    ],
    ['where the focus is', `click('#password')\n{"type": "type", "text": "${PASSWORD}"}`],
    ['after its field is shown', `fill('#password', '${PASSWORD}')\nclick('#show')\nclick('#hide')`],
  ])('recognizes a password that is typed %s', async (_, lines) => {
    const page = await readFile(join(cwd, 'login', 'login.html'), 'utf8');
    const toggle =
      '<button type="button" id="show" onclick="document.querySelector(\'#password\').type=\'text\'">show</button>' +
      '<button type="button" id="hide" onclick="document.querySelector(\'#password\').type=\'password\'">hide</button>';
    await writeFile(join(cwd, 'login', 'login.html'), page.replace('<button', `${toggle}<button`));
    await fileIn(cwd, 'by.actions', `fill('#user', 'ada')\n${lines}\nclick('button:not([id])')`);
    const ran = await run('login/login.taskset.json#log-in', '--mask', '--agent', 'replay:by.actions');
    expect(ran.steps.filter(({ error }) => error !== null)).toEqual([]);
    expect(ran.disk.includes(PASSWORD)).toBe(false);
    expect(JSON.stringify(actions(ran.steps))).not.toMatch(/'[lovelac]'|\["[lovelac]"\]|Shift\+a/);
  });

  it('quotes no keys of a password that is typed key by key, in reasons, errors, and logs', async () => {
    const pressed = [...PASSWORD].map((key) => `press('#password', '${key}')`);
    const evaluate = [
      { function: 'raw_last_action_is', args: [pressed.at(-1)] },
      { function: 'raw_last_action_is', args: ["press('#user', 'e')"] },
      { function: 'selector_history', args: ['#password', 1] },
      { function: 'verify_type_action', args: ['#password', 'babbage'] },
      { function: 'quotes', args: [] },
      { function: 'fails', args: [] },
    ];
    const setup = [{ function: 'goto', args: ['login.html'] }];
    const task = { id: 'keys', prompt: 'Enter the password.', gym: 'hud-browser', setup, evaluate };
    await fileIn(join(cwd, 'login'), 'keys.task.json', JSON.stringify(task));
    await fileIn(
      join(cwd, 'login'),
      'keys.functions.ts',
      `export async function quotes({ actions }) {
        console.log(actions);
        return { value: 1, reason: JSON.stringify(actions) };
      }
      export async function fails({ actions }) {
        throw new Error(actions.map(({ action }) => action).join());
      }`,
    );
    await fileIn(cwd, 'by.actions', ["press('#user', 'e')", ...pressed].join('\n'));
    const options = ['--mask', '--agent', 'replay:by.actions', '--hud-traces', 'runs/hud'];
    const ran = await runAlone('login/keys.task.json', ...options);
    const trajectory = await cli(['show', ran.run.trace_dir ?? '', '--format', 'hud-0.2'], cwd);
    const reasons = ran.steps.flatMap(({ source, info }) => (source === 'evaluate' ? [info['reason']] : []));
    expect(reasons.slice(0, 3)).toEqual([
      "the last action is press('#password', '<secret>…</secret>')",
      "the last action is press('#password', '<secret>…</secret>'), expected press('#user', 'e')",
      "action 1, press('#password', '<secret>…</secret>'), acted on `#password`",
    ]);
    expect(ran.err).toContain("press('#user', 'e')");
    for (const text of [ran.disk.toString('latin1'), ran.out, ran.err, trajectory.out]) {
      expect(text).not.toMatch(/password', '[a-z]'|“[lovac]”/);
    }
    expect(ran.disk.includes('{"value":"<secret>…</secret>","focus":true}')).toBe(true);
    expect(ran.disk.includes('{"value":"l"')).toBe(false);
    const again = await cli(['rescore', ran.run.trace_dir ?? '', '--json'], cwd);
    const [rescored] = JSON.parse(again.out);
    expect(rescored.calls.slice(0, 3)).toMatchObject([{ new: null }, { old: 0, new: 0 }, { old: 1, new: 1 }]);
  });

  it('is not re-scored where a call compares the typed password', async () => {
    const task = {
      id: 'password',
      prompt: 'Enter the password.',
      gym: 'hud-browser',
      setup: [{ function: 'goto', args: ['login.html'] }],
      evaluate: [
        { function: 'verify_type_action', args: ['#password', PASSWORD] },
        { function: 'selector_history', args: ['#password'] },
        { function: 'field_is', args: [PASSWORD] },
      ],
    };
    await fileIn(join(cwd, 'login'), 'password.task.json', JSON.stringify(task));
    await fileIn(
      join(cwd, 'login'),
      'password.functions.ts',
      `export async function field_is({ page }, wanted: string) {
        const found = await page.inputValue('#password');
        return { value: found === wanted, reason: \`the field is \${found}\` };
      }`,
    );
    await fileIn(cwd, 'by.actions', `fill('#password', '${PASSWORD}')`);
    const ran = await run('login/password.task.json', '--mask', '--agent', 'replay:by.actions');
    expect(ran.run.reward).toBe(1);
    const again = await cli(['rescore', ran.run.trace_dir ?? '', '--json'], cwd);
    const unknown = { old: 1, new: null, reason: expect.stringContaining('Run the task again') };
    expect(JSON.parse(again.out)).toMatchObject([{ old: 1, new: null, calls: [unknown, { old: 1, new: 1 }, unknown] }]);
  });

  it('replaces placeholders in the page only, and can be replayed from its trace without an option', async () => {
    const set = JSON.parse(await readFile(join(cwd, 'login', 'login.taskset.json'), 'utf8'));
    const [task] = set.tasks;
    task.prompt = 'Sign in as ada.';
    task.sensitive_data = { 'shop.example': { password: PASSWORD } };
    task.evaluate.push(['verify_type_action', '#password', PASSWORD]);
    task.evaluate = task.evaluate.map((call: unknown) =>
      Array.isArray(call) ? { function: call[0], args: call.slice(1) } : call,
    );
    await fileIn(join(cwd, 'login'), 'secret.task.json', JSON.stringify(task));
    await fileIn(
      cwd,
      'by.actions',
      "fill('#user', 'ada')\nfill('#password', '<secret>password</secret>')\nclick('button')",
    );
    const ran = await run('login/secret.task.json', '--agent', 'replay:by.actions');
    expect(ran).toMatchObject({ code: 0, run: { reward: 1 } });
    expect(ran.disk.includes(PASSWORD)).toBe(false);
    expect(ran.out + ran.err).not.toContain(PASSWORD);
    expect(actions(ran.steps)[1]).toBe("fill('#password', '<secret>password</secret>')");
    const again = await run('login/secret.task.json', '--agent', `replay:${ran.run.trace_dir}`);
    expect(again.run.reward).toBe(1);
  });

  it('reports an unknown placeholder to the agent', async () => {
    const set = JSON.parse(await readFile(join(cwd, 'login', 'login.taskset.json'), 'utf8'));
    await fileIn(
      join(cwd, 'login'),
      'secret.task.json',
      JSON.stringify({ ...set.tasks[0], sensitive_data: { 'shop.example': { password: PASSWORD } } }),
    );
    await fileIn(cwd, 'by.actions', "fill('#password', '<secret>pass</secret>')");
    const { steps } = await run('login/secret.task.json', '--agent', 'replay:by.actions');
    expect(steps.find(({ source }) => source === 'agent')?.error).toEqual({
      code: 'unknown_secret',
      message: 'the task has no sensitive data “pass” for this site; it has “password”',
    });
  });
});

it('a served run masks a typed password in what it records', async () => {
  const { url } = await serve(cwd, '--mask');
  const response = await fetch(`${url}/step`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ task: 'log-in', action: { action_str: `fill('#password', '${PASSWORD}')` } }),
  });
  expect(response.status).toBe(200);
  const recorded = await bytesIn(join(cwd, '.taskwright'));
  expect(recorded.includes("fill('#password', '<secret>")).toBe(true);
  expect(recorded.includes(PASSWORD)).toBe(false);
});
