import { cp, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, it } from 'vitest';
import { listJobs, openRun } from '../../../src/traces/store.ts';
import type { Run, Step } from '../../../src/traces/trace.ts';
import { needsPosix } from '../../systems.ts';
import { fileIn, temporaryFolder } from '../../unit/runs/tasks.ts';
import { dist, root } from '../programs.ts';
import { nothingLeft, processesOf, processOf } from '../server/harness.ts';
import { shareCommandLine } from './in-process.ts';
import { start } from './program.ts';

const cli = shareCommandLine();

let cwd = '';
beforeEach(async () => {
  cwd = await temporaryFolder();
  await cp(join(root, 'examples', 'login'), join(cwd, 'login'), { recursive: true });
});

const LOG_IN = join('login', 'login.taskset.json#log-in');

interface Ran {
  readonly code: number | null;
  readonly runs: readonly Run[];
  readonly err: string;
}

const runs = (args: readonly string[]): Promise<Ran> => runsBy(cli, args);

/** In a process of its own. */
const runsAlone = (args: readonly string[]): Promise<Ran> => runsBy((words) => start(words, cwd).ended, args);

async function runsBy(
  by: (args: readonly string[], cwd: string) => Promise<{ code: number | null; out: string; err: string }>,
  args: readonly string[],
): Promise<Ran> {
  const { code, out, err } = await by(['run', ...args, '--json'], cwd);
  return { code, runs: (JSON.parse(out) as { runs: Run[] }).runs, err };
}

async function stepsOf(run: Run | undefined): Promise<readonly Step[]> {
  return await (await openRun(run?.trace_dir ?? '')).steps();
}

/** An agent that says it is there and then never answers. */
const HANGING = `export default () => { console.log('thinking'); return new Promise(() => setInterval(() => {}, 1e6)); };`;

it('The examples have no problems, so every problem in a window is the user’s own', async () => {
  const { code, out } = await start(['validate', join(root, 'examples'), '--json'], cwd).ended;
  expect(JSON.parse(out)).toEqual([]);
  expect(code).toBe(0);
});

// npx makes it executable once for each folder, and does not do so again after the next build.
it.skipIf(needsPosix('the program of the command line'))('Each build makes the command line executable', async () => {
  const { mode } = await stat(join(dist, 'cli.js'));
  expect(mode & 0o111).toBe(0o111);
});

describe('taskwright run, in a real browser', () => {
  it('solves a task with its solution and records the run', async () => {
    const result = await runsAlone([LOG_IN]);
    expect(result).toMatchObject({
      code: 0,
      runs: [{ task_id: 'log-in', status: 'completed', reward: 1, success: true }],
    });
    const [run] = result.runs;
    const steps = await stepsOf(run);
    expect(steps.filter((step) => step.source === 'agent')).toHaveLength(run?.steps ?? 0);
    expect(steps.filter((step) => step.source === 'evaluate').map((step) => step.reward)).toEqual([1, 1, 1]);
    const pictures = steps.flatMap((step) => step.observation?.screenshot ?? []);
    expect(pictures.length).toBeGreaterThan(2);
    const onDisk = await readdir(join(run?.trace_dir ?? '', 'screens'));
    expect(new Set(pictures)).toEqual(new Set(onDisk.map((name) => `screens/${name}`)));
  });

  it('gives reward 0 to an agent that does nothing, with a reason for each call', async () => {
    const { code, out } = await cli(['run', LOG_IN, '--agent', 'noop'], cwd);
    expect(code).toBe(1);
    expect(out).toMatch(/^✗ 0\.00 +log-in/m);
    expect(out).toMatch(/✗ 0\.00 +cookie_exists\("session"\) +\S/);
  });

  it('repeats a recorded run', async () => {
    const first = (await runs([LOG_IN])).runs[0];
    const again = await runs([LOG_IN, '--agent', `replay:${first?.trace_dir}`]);
    expect(again).toMatchObject({ code: 0, runs: [{ steps: first?.steps, reward: 1 }] });
  });

  it('runs several tasks in parallel in isolated sessions', async () => {
    const result = await runs([LOG_IN, '--group', '2', '--concurrency', '2']);
    expect(result.runs.map((run) => run.reward)).toEqual([1, 1]);
    const noop = await runs([LOG_IN, '--agent', 'noop']);
    expect(noop.runs[0]?.reward).toBe(0);
  });
});

describe('a task with another evaluate form', () => {
  it.each<[string, object, number]>([
    ['target', { prompt: 'Capital of France?', gym: 'qa', target: 'Paris' }, 1],
    ['metadata.answer', { prompt: 'Capital of France?', gym: 'qa', metadata: { answer: 'Rome' } }, 0],
    ['answers, of which one is missing', { prompt: 'Both?', gym: 'qa', metadata: { answers: ['Paris', 'Rome'] } }, 0.5],
    [
      'reward_fn, by name and call',
      { prompt: 'Capital?', gym: 'qa', reward_fn: "check_exact_match('It is Paris.')" },
      1,
    ],
    [
      'reward_function of a page',
      { instruction: 'Look', start_url: 'dashboard.html', reward_function: "check_url_contains('dashboard')" },
      1,
    ],
    [
      'reward_function by its name',
      { instruction: 'Look', start_url: 'dashboard.html', reward_function: 'check_is_open' },
      0.25,
    ],
  ])('%s', async (_, row, reward) => {
    await fileIn(cwd, 'one.task.json', JSON.stringify({ id: 'one', ...row }));
    await fileIn(cwd, 'one.actions', "send_msg_to_user('It is Paris.')\n");
    await fileIn(cwd, 'dashboard.html', '<h1>Sales</h1>');
    await fileIn(cwd, 'own.functions.mjs', 'export const is_open = () => 0.25;\n');
    const { runs: made, err } = await runs(['one.task.json']);
    expect(made, err).toMatchObject([{ task_id: 'one', status: 'completed', reward }]);
  });
});

describe('an agent that tries more than actions', () => {
  it('cannot read the task, its solution, its functions or any file of the machine', async () => {
    const secret = 'the-answer-is-forty-two';
    await fileIn(
      join(cwd, 'login'),
      'extra.functions.ts',
      `export const ${secret.replaceAll('-', '_')} = () => 1; // ${secret}`,
    );
    await fileIn(join(cwd, 'login'), 'extra.actions', `# ${secret}`);
    await fileIn(join(cwd, 'login'), '.hidden.html', secret);
    await fileIn(cwd, 'outside.html', secret);
    const targets = [
      `file://${join(cwd, 'outside.html')}`,
      `view-source:file://${join(cwd, 'outside.html')}`,
      'login.taskset.json',
      'extra.actions',
      'extra.functions.ts',
      '.hidden.html',
      '../outside.html',
      '%2e%2e/outside.html',
      'http://task.localhost/extra.actions',
      'http://task.localhost/login.taskset.json',
      'http://task.localhost/../outside.html',
      'http://task.localhost/..%2foutside.html',
      'http://task.localhost/',
      'chrome://version',
      'devtools://devtools/bundled/inspector.html',
      `javascript:document.body.textContent = '${secret}'`,
    ];
    await fileIn(cwd, 'attack.actions', targets.map((url) => `goto(${JSON.stringify(url)})`).join('\n'));
    const { runs: made } = await runs([LOG_IN, '--agent', 'replay:attack.actions']);
    expect(made[0]).toMatchObject({ status: 'completed', reward: 0, steps: targets.length });
    const steps = await stepsOf(made[0]);
    for (const step of steps) {
      expect(step.observation?.text ?? '').not.toContain(secret);
      expect(step.observation?.text ?? '').not.toContain('lovelace"');
      expect(step.observation?.text ?? '').not.toContain('"evaluate"');
      expect(String(step.info['url'] ?? '')).not.toMatch(/^(file|chrome|devtools|view-source):/);
    }
  });

  it('cannot access the server from its own process', async () => {
    await fileIn(
      cwd,
      'spy.agent.mjs',
      `import { writeSync } from 'node:fs';
const tries = [];
for (const [name, value] of Object.entries(process.env)) if (/^wss?:|^https?:|:\\/\\/127/.test(value)) tries.push(name);
export default () => {
  const args = process.argv.slice(2).join(' ');
  writeSync(3, JSON.stringify({ id: 1, method: 'session.evaluate', params: {} }) + '\\n');
  console.log('spy', JSON.stringify({ args, send: typeof process.send, tries: tries.filter((name) => /TASKWRIGHT|PLAYWRIGHT|WS|CDP/.test(name)) }));
  return null;
};`,
    );
    const result = await runsAlone([LOG_IN, '--agent', 'module:spy.agent.mjs']);
    expect(result.err).toContain('spy {"args":"module","send":"undefined","tries":[]}');
    // What it wrote to its parent is not an answer.
    expect(result.runs[0]).toMatchObject({ status: 'error', reward: null, error: { code: 'agent_answer' } });
  });
});

describe('killing a process during a run', () => {
  it('the command line: leaves nothing after two seconds, and the trace opens as interrupted', async () => {
    await fileIn(cwd, 'hang.agent.mjs', HANGING);
    const started = start(['run', LOG_IN, '--agent', 'module:hang.agent.mjs'], cwd);
    await started.saying('thinking');
    const jobs = join(cwd, '.taskwright', 'jobs');
    expect(await listJobs(jobs)).toMatchObject([{ runs: [{ running: true }] }]);
    expect((await processesOf(started.mark)).length).toBeGreaterThan(3);
    started.child.kill('SIGKILL');
    await started.ended;
    await nothingLeft(started.mark);
    const entry = (await listJobs(jobs))[0]?.runs[0];
    expect(entry).toMatchObject({ running: false, run: { status: 'interrupted', reward: null, task_id: 'log-in' } });
    const shown = await cli(['show', entry?.traceDir ?? '', '--json'], cwd);
    expect(JSON.parse(shown.out)).toMatchObject({ status: 'interrupted', steps: [{ index: 0 }] });
  });

  it('the browser: the run reports the error, and the trace contains the steps so far', async () => {
    await fileIn(cwd, 'hang.agent.mjs', HANGING);
    const started = start(['run', LOG_IN, '--agent', 'module:hang.agent.mjs', '--retries', '0', '--json'], cwd);
    await started.saying('thinking');
    process.kill((await processOf(started.mark, 'browser')).pid, 'SIGKILL');
    const { code, out } = await started.ended;
    expect(code).toBe(1);
    const [run] = (JSON.parse(out) as { runs: Run[] }).runs;
    expect(run).toMatchObject({ status: 'error', reward: null, error: { code: 'browser_crashed' } });
    expect((await stepsOf(run)).length).toBeGreaterThan(0);
  });

  it('the server: the run reports the error', async () => {
    await fileIn(cwd, 'hang.agent.mjs', HANGING);
    const started = start(['run', LOG_IN, '--agent', 'module:hang.agent.mjs', '--retries', '0', '--json'], cwd);
    await started.saying('thinking');
    process.kill((await processOf(started.mark, 'server')).pid, 'SIGKILL');
    const { out } = await started.ended;
    expect((JSON.parse(out) as { runs: Run[] }).runs[0]).toMatchObject({
      status: 'error',
      error: { code: 'server_died' },
    });
  });
});

describe('Ctrl+C', () => {
  it('cancels the run, prints the partial result, and exits with 130', async () => {
    await fileIn(cwd, 'hang.agent.mjs', HANGING);
    const started = start(
      [
        'run',
        LOG_IN,
        LOG_IN.replace('log-in', 'say-why-not'),
        '--agent',
        'module:hang.agent.mjs',
        '--concurrency',
        '1',
        '--json',
      ],
      cwd,
    );
    await started.saying('thinking');
    started.child.kill('SIGINT');
    const { code, out } = await started.ended;
    expect(code).toBe(130);
    expect((JSON.parse(out) as { runs: Run[] }).runs).toMatchObject([
      { task_id: 'log-in', status: 'cancelled', reward: 0, error: null },
      { task_id: 'say-why-not', status: 'cancelled', reward: null, trace_dir: null },
    ]);
  });

  it('ends an environment that is starting', async () => {
    const started = start(['run', LOG_IN, '--json'], cwd);
    await processOf(started.mark, 'server');
    started.child.kill('SIGINT');
    const { code, out } = await started.ended;
    expect(code).toBe(130);
    expect((JSON.parse(out) as { runs: Run[] }).runs).toMatchObject([{ status: 'cancelled' }]);
  });
});

describe('the program', () => {
  it('reports a Node that is too old, even one that cannot parse the program', async () => {
    const text = (await readFile(join(dist, 'cli.js'), 'utf8')).replace(/^#!.*/, '');
    const said: string[] = [];
    const old = {
      versions: { node: '12.22.12' },
      version: 'v12.22.12',
      stderr: { write: (line: string) => said.push(line) },
      exitCode: 0,
    };
    const loaded: string[] = [];
    runInNewContext(text, { process: old, require: (path: string) => loaded.push(path), module: {}, exports: {} });
    expect(old.exitCode).toBe(2);
    expect(said.join('')).toMatch(/needs Node\.js 22 or newer; this is v12\.22\.12/);
    expect(loaded).toEqual([]);
    // Nothing in it is newer than what Node 6 could read.
    expect(text).not.toMatch(/\?\.|\?\?|\basync\b|\*\*|=>\s*\{|\bimport\b|#[a-z]/);
  });

  it('reports where it searched for a browser and how to install one', async () => {
    const none = { TASKWRIGHT_BROWSER: join(cwd, 'no-browser') };
    const doctor = await start(['doctor'], cwd, none).ended;
    expect(doctor.code).toBe(1);
    expect(doctor.out).toContain(`${none.TASKWRIGHT_BROWSER}, the value of TASKWRIGHT_BROWSER`);
    expect(doctor.out).toContain('npx playwright-core install');
    const { code, out, err } = await start(['run', LOG_IN, '--json'], cwd, none).ended;
    expect(code).toBe(1);
    expect((JSON.parse(out) as { runs: Run[] }).runs).toMatchObject([
      { status: 'error', error: { code: 'browser_missing' } },
    ]);
    expect(err).toContain('npx playwright-core install');
  });

  it.each([
    ['run', 'no-such.tasks.json'],
    ['run', LOG_IN, '--seed', 'one'],
    ['rescore', 'no-such-job'],
  ])('rejects bad use and leaves no files: taskwright %s %s', async (...args) => {
    const folder = await temporaryFolder();
    const { ended, mark } = start(args, cwd, { TMPDIR: folder });
    const { code, err } = await ended;
    expect(err).not.toBe('');
    expect(code).toBe(2);
    expect(await processesOf(mark)).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('reports what it found on this machine', async () => {
    const { code, out } = await start(['doctor', '--json'], cwd).ended;
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ ok: true, node: { ok: true }, browser: { ok: true } });
  });
});
