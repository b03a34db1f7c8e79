import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordedState } from '../../../src/environments/recorded.ts';
import { ServerError } from '../../../src/placement/placement.ts';
import { type Rescored, Rescorer } from '../../../src/runs/rescoring/rescorer.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import { loadTaskFile } from '../../../src/tasks/discover.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { TraceError } from '../../../src/traces/trace-file.ts';
import { type FakeAnswers, FakePlacement, seen, verdict } from './fake-placement.ts';
import { fileIn, temporaryFolder } from './tasks.ts';

const signal = new AbortController().signal;

const page = (text: string): RecordedState => ({
  page: Buffer.from(JSON.stringify({ text })),
  resources: {},
  actions: [{ input: text, normalised: null, error: null, typed: null, element: null }],
});

/** What a fake environment was last told to stand at. */
const textOf = (bytes: Uint8Array | null): string => JSON.parse(Buffer.from(bytes ?? []).toString()).text;

interface Written {
  readonly gym?: string;
  readonly evaluate: readonly unknown[];
  readonly metadata?: Record<string, unknown>;
  readonly sensitive_data?: Task['sensitive_data'];
}

async function write(folder: string, { gym = 'hud-browser', ...more }: Written): Promise<Task> {
  const file = join(folder, 'shop.task.json');
  await writeFile(file, JSON.stringify({ id: 'shop', prompt: 'Buy.', gym: { type: gym }, ...more }));
  const [row] = (await loadTaskFile(file)).rows;
  if (!row?.task) throw new Error('no task');
  return row.task;
}

/** Records a run of `before`, then judges it by `now`. */
async function rescored(of: {
  before: Written;
  now: Written;
  lines?: string;
  record?: FakeAnswers;
  judge?: FakeAnswers;
  everyStep?: boolean;
  /** The text of the job's `job.json`. */
  job?: string;
}): Promise<{ result: Rescored; placement: FakePlacement; folder: string }> {
  const folder = await temporaryFolder();
  const task = await write(folder, of.before);
  const agent = `replay:${await fileIn(folder, 'a.actions', of.lines ?? "click('a')\nclick('b')\n")}`;
  const plan = { task, agent, seed: 0, jobId: 'job', groupId: 'g', runId: 'run', out: folder, cwd: folder };
  const answers: FakeAnswers = {
    reset: () => ({ ...seen('start'), goal: null, recorded: { ...page('start'), actions: [] } }),
    step: (_, count) => seen(`after ${count}`, { recorded: page(`page ${count}`) }),
    ...of.record,
  };
  await runTask(plan, new FakePlacement(answers), () => {}, signal);
  if (of.job !== undefined) await writeFile(join(folder, 'job', 'job.json'), of.job);
  await write(folder, of.now);
  const placement = new FakePlacement(of.judge);
  const rescorer = new Rescorer(placement);
  const result = await rescorer.rescore(join(folder, 'job', 'run'), { everyStep: of.everyStep ?? false, signal });
  await rescorer.close();
  expect(placement.sessions.size).toBe(0);
  return { result, placement, folder };
}

const values = ({ calls }: Rescored) => calls.map((one) => [one.old, one.new]);

describe('re-scoring a run', () => {
  it('uses the calls of the current task at the end of the run', async () => {
    let stood = '';
    const { result, placement } = await rescored({
      before: {
        evaluate: [
          ['page_contains', 'a'],
          ['url_contains', 'x'],
        ],
      },
      now: {
        evaluate: [
          ['page_contains', 'b'],
          ['url_contains', 'x'],
          ['element_exists', '#new'],
        ],
      },
      record: { evaluate: ({ function: name }) => verdict(name === 'url_contains' ? 1 : 0) },
      judge: {
        restore: ({ page: bytes }) => {
          stood = textOf(bytes);
          return [];
        },
      },
    });
    expect(stood).toBe('page 2');
    expect(placement.methods).toEqual(['session.open', 'session.evaluateSnapshots', 'session.close']);
    expect(result).toMatchObject({ runId: 'run', taskId: 'shop', old: 0.5, new: 1, steps: null, problem: null });
    // What was edited keeps its old value; what is new has none.
    expect(values(result)).toEqual([
      [0, 1],
      [1, 1],
      [null, 1],
    ]);
  });

  const jobWith = (plan: object): string =>
    JSON.stringify({ job_id: 'job', started_at: '', ended_at: null, plan: { cwd: '/', runs: [], ...plan } });

  it.each([
    ['its job', jobWith({ evaluate_timeout_ms: 60_000 }), 60_000],
    ['the default if its job sets none', jobWith({}), 30_000],
    ['the default if its job is damaged', '{', 30_000],
    ['the default if its job is missing', undefined, 30_000],
  ])('gives a call the time limit of %s', async (_, job, limit_ms) => {
    const written = { evaluate: [['mine']] };
    const { placement } = await rescored({ before: written, now: written, ...(job === undefined ? {} : { job }) });
    expect(placement.requests.find(({ method }) => method === 'session.evaluate')).toMatchObject({
      params: { limit_ms },
    });
  });

  it.each([
    ['with evaluate calls', [['page_contains', 'a']], null],
    ['whose environment gives a reward', [], 1],
  ])('keeps the reward 0 of an agent that tampered, for a task %s', async (_, evaluate, reward) => {
    const { result } = await rescored({
      before: { evaluate },
      now: { evaluate },
      record: {
        step: (_request, count) => {
          if (count === 2) throw new ServerError('tampering', 'A frame has no secret.');
          return seen('bought', { recorded: page('bought'), reward });
        },
      },
      judge: { evaluate: () => verdict(1) },
    });
    expect(result).toMatchObject({ old: 0, new: 0 });
    const reason = "the run ended by the agent's fault, so its reward stays: A frame has no secret.";
    expect(result.calls).toEqual(evaluate.map(() => expect.objectContaining({ new: null, reason, failed: false })));
  });

  it('compares masked secrets with masked calls, and tells no secret', async () => {
    const evaluate = [['response_is', 'hunter22']];
    const sensitive_data = { 'shop.example': { password: 'hunter22' } };
    const { result, placement } = await rescored({
      before: { evaluate, sensitive_data },
      now: { evaluate, sensitive_data },
      record: { step: () => seen('', { info: { response: 'hunter22' } }) },
      judge: { evaluate: ({ args }) => verdict(args[0] === '<secret>password</secret>' ? 1 : 0, String(args[0])) },
    });
    expect(values(result)).toEqual([[1, 1]]);
    expect(
      JSON.stringify([result, placement.requests.filter(({ method }) => method !== 'session.open')]),
    ).not.toContain('hunter22');
  });

  it('compares the values of calls whose order changed', async () => {
    const { result } = await rescored({
      before: {
        evaluate: [
          ['page_contains', 'a'],
          ['page_contains', 'b'],
        ],
      },
      now: {
        evaluate: [
          ['page_contains', 'b'],
          ['page_contains', 'a'],
        ],
      },
      record: { evaluate: ({ args }) => verdict(args[0] === 'a' ? 1 : 0.25) },
    });
    expect(result.calls.map((one) => one.old)).toEqual([0.25, 1]);
  });

  it('uses weights and the combination of values', async () => {
    const { result } = await rescored({
      before: { evaluate: [['page_contains', 'a']] },
      now: {
        evaluate: [
          ['page_contains', 'a'],
          ['page_contains', 'b'],
        ],
        metadata: { combine: 'all' },
      },
      judge: { evaluate: ({ args }) => verdict(args[0] === 'a' ? 1 : 0.5) },
    });
    expect(result.new).toBe(0.5);
  });

  it('evaluates each step, with the actions and the response up to it', async () => {
    const asked: unknown[] = [];
    const { result } = await rescored({
      before: { evaluate: [['page_contains', 'a']] },
      now: { evaluate: [['page_contains', 'a']] },
      everyStep: true,
      record: {
        step: (_, count) =>
          seen('', { recorded: page(`page ${count}`), info: count === 2 ? { response: 'done' } : {} }),
      },
      judge: {
        restore: ({ page: bytes, actions, response }) => {
          asked.push([textOf(bytes), actions.map(({ input }) => input), response]);
          return [];
        },
        evaluate: () => verdict(asked.length === 3 ? 1 : 0.5),
      },
    });
    expect(asked).toEqual([
      ['start', [], null],
      ['page 1', ['page 1'], null],
      ['page 2', ['page 1', 'page 2'], 'done'],
    ]);
    expect(result.steps).toEqual([
      { index: 0, agentSteps: 0, reward: 0.5, values: [0.5] },
      { index: 1, agentSteps: 1, reward: 0.5, values: [0.5] },
      { index: 2, agentSteps: 2, reward: 1, values: [1] },
    ]);
    expect(result.new).toBe(1);
  });

  it('works without a recorded page if the calls need none', async () => {
    const { result, placement } = await rescored({
      before: { evaluate: [['response_is', 'x']] },
      now: { evaluate: [['response_is', 'x'], ['page_contains', 'a'], ['mine']] },
      lines: "send_msg_to_user('x')\n",
      record: { reset: () => ({ ...seen('start'), goal: null }), step: () => seen('', { info: { response: 'x' } }) },
    });
    expect(values(result)).toEqual([
      [1, 1],
      [null, null],
      [null, null],
    ]);
    expect(result.new).toBeNull();
    expect(result.calls[1]?.reason).toBe('it needs the page, and the run has no recorded pages');
    expect(placement.requests.find(({ method }) => method === 'session.restore')?.params).toMatchObject({
      kind: 'qa',
      page: null,
      response: 'x',
    });
  });

  it('reports what the recording lacks for each call, and why it has no value', async () => {
    const { result, placement } = await rescored({
      before: { evaluate: [['page_contains', 'a']] },
      now: {
        evaluate: [
          ['page_contains', 'a'],
          ['page_contains', 'b'],
          ['response_is', 'x'],
          ['page_contains', 'c'],
        ],
      },
      judge: {
        restore: () => ['the content of closed shadow roots'],
        evaluate: ({ args }) => {
          if (args[0] === 'b') throw new ServerError('session_died', 'It died.');
          return args[0] === 'c'
            ? { error: { message: 'asked for `cart`', code: 'not_recorded' }, duration_ms: 1 }
            : verdict(1, 'there');
        },
      },
    });
    expect(result.new).toBeNull();
    expect(result.calls.map((one) => [one.new, one.reason])).toEqual([
      [1, 'there (not recorded: the content of closed shadow roots)'],
      [null, 'It died.'],
      [1, 'there'],
      [null, 'asked for `cart`'],
    ]);
    // The failed call is repeated in a new session, and the next one gets another.
    expect(placement.methods.filter((one) => one === 'session.restore')).toHaveLength(3);
  });

  it('keeps the recorded reward of a benchmark', async () => {
    const { result } = await rescored({
      before: { evaluate: [] },
      now: { evaluate: [] },
      everyStep: true,
      record: { step: (_, count) => seen('', { reward: count === 2 ? 1 : 0 }) },
    });
    expect(result).toMatchObject({ old: 1, new: 1, calls: [] });
    expect(result.steps?.map(({ reward }) => reward)).toEqual([null, 0, 1]);
  });

  it('reads several runs while the session starts, and evaluates equal ends once', async () => {
    const { folder } = await rescored({
      before: { evaluate: [['page_contains', 'a']] },
      now: { evaluate: [['page_contains', 'b']] },
    });
    const runs = Array.from({ length: 20 }, (_, index) => join(folder, 'job', `run${index}`));
    for (const run of runs) await cp(join(folder, 'job', 'run'), run, { recursive: true });
    const asked: string[] = [];
    let prepared = 0;
    const placement = Object.assign(
      new FakePlacement({ judge: ({ moments }) => asked.push(...moments.map(({ page: bytes }) => textOf(bytes))) }),
      { prepare: () => (prepared += 1) },
    );
    const rescorer = new Rescorer(placement);
    const told: string[] = [];
    const results = await rescorer.rescoreAll(runs, { everyStep: false, signal }, (_, traceDir) => told.push(traceDir));
    await rescorer.close();
    expect(results.map((one) => one.new)).toEqual(runs.map(() => 1));
    expect(told).toEqual(runs);
    expect(asked).toEqual(['page 2']);
    expect(prepared).toBe(1);
  });

  it('ends if it is cancelled, or a folder cannot be read', async () => {
    const { folder } = await rescored({ before: { evaluate: ['noop'] }, now: { evaluate: [['page_contains', 'a']] } });
    const run = join(folder, 'job', 'run');
    const placement = new FakePlacement();
    const rescorer = new Rescorer(placement);
    const enough = new AbortController();
    const judging = rescorer.rescoreAll([run, run, run], { everyStep: false, signal: enough.signal }, () =>
      enough.abort(),
    );
    await expect(judging).rejects.toThrow('aborted');
    await writeFile(join(run, 'trace.jsonl'), 'no trace');
    const told: unknown[] = [];
    expect(await rescorer.rescoreAll([run], { everyStep: false, signal }, (one) => told.push(one))).toEqual([]);
    expect(told).toEqual([expect.any(TraceError)]);
    await rescorer.close();
    expect(placement.sessions.size).toBe(0);
  });

  it('of a job continues after a run that cannot be read', async () => {
    const { folder } = await rescored({ before: { evaluate: ['noop'] }, now: { evaluate: [['page_contains', 'a']] } });
    const run = join(folder, 'job', 'run');
    const unreadable = join(folder, 'job', 'unreadable');
    await cp(run, unreadable, { recursive: true });
    await symlink('owner.json', join(unreadable, 'owner.json'));
    const rescorer = new Rescorer(new FakePlacement());
    const told: (Rescored | TraceError)[] = [];
    const runs = [unreadable, run];
    const results = await rescorer.rescoreAll(runs, { everyStep: false, signal }, (one) => told.push(one));
    await rescorer.close();
    expect(results).toHaveLength(1);
    expect(told).toMatchObject([
      { name: 'TraceError', message: `${unreadable} cannot be read: the symbolic link refers to itself.` },
      { runId: 'run' },
    ]);
  });

  it('is refused if the task is missing, with that reason', async () => {
    const { folder } = await rescored({ before: { evaluate: ['noop'] }, now: { evaluate: [['page_contains', 'a']] } });
    await writeFile(join(folder, 'shop.task.json'), '{"id": "other", "prompt": "x", "gym": {"type": "qa"}}');
    const rescorer = new Rescorer(new FakePlacement());
    const told: (Rescored | TraceError)[] = [];
    const runs = [join(folder, 'job', 'run'), join(folder, 'nowhere')];
    const [gone, ...more] = await rescorer.rescoreAll(runs, { everyStep: false, signal }, (one) => told.push(one));
    expect(gone).toMatchObject({ new: null, problem: expect.stringContaining('There is no task “shop”') });
    expect(more).toEqual([]);
    expect(told[1]).toBeInstanceOf(TraceError);
    await rescorer.close();
  });
});
