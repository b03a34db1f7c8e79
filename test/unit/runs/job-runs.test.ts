import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type OpenOptions, ServerError } from '../../../src/placement/placement.ts';
import type { RunEvent } from '../../../src/runs/events.ts';
import { type Job, jobsFolder, reopenJob, startJob } from '../../../src/runs/job/job.ts';
import { type JobOptions, type JobRun, makeRuns, runsLeft } from '../../../src/runs/job/job-runs.ts';
import type { Task } from '../../../src/tasks/task.ts';
import type { JobPlan, PlannedRun } from '../../../src/traces/job-file.ts';
import { claim } from '../../../src/traces/owner.ts';
import { openRun } from '../../../src/traces/store.ts';
import type { Run, RunRecord } from '../../../src/traces/trace.ts';
import { type FakeAnswers, FakePlacement, seen, verdict } from './fake-placement.ts';
import { call, task, temporaryFolder } from './tasks.ts';

type PlannedJob = Job & { readonly plan: JobPlan };

/** A job of so many tasks, each repeated so often, in a folder that is gone after the test. */
async function jobOf(
  of: { tasks?: number; group?: number; agent?: string; evaluate?: Task['evaluate'] } = {},
): Promise<{ job: PlannedJob; runs: JobRun[]; cwd: string }> {
  const cwd = await temporaryFolder();
  const file = join(cwd, 'many.tasks.json');
  const rows = Array.from({ length: of.tasks ?? 3 }, (_, index) => ({
    id: `t${index}`,
    prompt: 'Do it.',
    gym: 'qa',
    evaluate: { function: 'response_is', args: ['x'] },
  }));
  await writeFile(file, JSON.stringify(rows));
  await writeFile(join(cwd, 'a.actions'), 'one\ntwo\n');
  const runs = rows.flatMap(({ id }, index) =>
    Array.from({ length: of.group ?? 1 }, (_, repeat): JobRun => {
      const plannedRun: PlannedRun = {
        run_id: `${id}-${repeat}`,
        file,
        task_id: id,
        index,
        group_id: `g-${id}`,
        seed: 7,
        agent: of.agent ?? 'replay:a.actions',
        placement: 'local',
        error: null,
      };
      const made = task({ file, id, index, evaluate: of.evaluate ?? [call('response_is', ['x'])] });
      return { plannedRun, task: made, done: null };
    }),
  );
  const plan: JobPlan = { cwd, runs: runs.map((run) => run.plannedRun) };
  return { job: { ...(await startJob(jobsFolder(cwd), { retention: null, plan })), plan }, runs, cwd };
}

/** Makes the runs; tells what was said of each. */
async function make(
  job: PlannedJob,
  runs: readonly JobRun[],
  answers: FakeAnswers | FakePlacement,
  options: Partial<JobOptions> = {},
): Promise<{ results: (Run | RunRecord)[]; events: RunEvent[][]; placement: FakePlacement }> {
  const placement = answers instanceof FakePlacement ? answers : new FakePlacement(answers);
  const events: RunEvent[][] = runs.map(() => []);
  const results = await makeRuns(job, runs, {
    concurrency: 1,
    retries: 2,
    placement: async () => placement,
    started: (_, index) => ({ listen: (event) => events[index]?.push(event) }),
    ended: () => {},
    signal: new AbortController().signal,
    ...options,
  });
  return { results, events, placement };
}

const crash = new ServerError('browser_crashed', 'The browser has crashed.');

describe('the runs of a job', () => {
  it('are returned in the order of the plan, whichever ends first', async () => {
    const { job, runs } = await jobOf({ tasks: 3, group: 2 });
    const openings: (() => void)[] = [];
    const lastFirst = {
      open: () =>
        new Promise<void>((done) => {
          openings.push(done);
          if (openings.length === 6) for (const open of openings.reverse()) setImmediate(open);
        }),
    };
    const ended: number[] = [];
    const { results } = await make(job, runs, lastFirst, { concurrency: 6, ended: (_, index) => ended.push(index) });
    expect(results.map((run) => run.run_id)).toEqual(['t0-0', 't0-1', 't1-0', 't1-1', 't2-0', 't2-1']);
    expect(results.map((run) => run.group_id)).toEqual(['g-t0', 'g-t0', 'g-t1', 'g-t1', 'g-t2', 'g-t2']);
    expect(new Set(results.map((run) => run.seed))).toEqual(new Set([7]));
    expect([...ended].sort()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(ended).not.toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('run in parallel up to the given number', async () => {
    const { job, runs } = await jobOf({ tasks: 8 });
    const placement = new FakePlacement({
      step: async () => {
        most = Math.max(most, placement.sessions.size);
        if (most === 3) full.resolve();
        await full.promise;
        return seen('x');
      },
    });
    let most = 0;
    const full = Promise.withResolvers<void>();
    await make(job, runs, placement, { concurrency: 3 });
    expect(most).toBe(3);
  });

  it('are retried if the browser crashed, and the earlier attempts are kept', async () => {
    const { job, runs } = await jobOf({ tasks: 2 });
    const { results, events } = await make(job, runs, {
      step: (_, count) => {
        if (count <= 2) throw crash;
        return seen('x');
      },
    });
    expect(results).toMatchObject([
      { status: 'completed', reward: 1, retried: [{ code: 'browser_crashed' }, { code: 'browser_crashed' }] },
      { status: 'completed', reward: 1 },
    ]);
    expect(results[1]).not.toHaveProperty('retried');
    const folder = results[0]?.trace_dir ?? '';
    expect((await openRun(folder)).record).toMatchObject({ reward: 1, retried: [{}, {}] });
    for (const attempt of ['1', '2']) {
      const earlier = await openRun(join(folder, 'attempts', attempt));
      expect(earlier.record).toMatchObject({ status: 'error', error: { code: 'browser_crashed' } });
    }
    const told = events[0]?.map((event) => event.type).filter((type) => ['started', 'retry', 'ended'].includes(type));
    expect(told).toEqual(['started', 'retry', 'started', 'retry', 'started', 'ended']);
    // Nothing but the runs stands in the job's folder.
    expect((await readdir(job.folder)).sort()).toEqual(['job.json', 'owner.json', 't0-0', 't1-0']);
  });

  it('report why their environment does not start, not that they are not recorded', async () => {
    const { job, runs } = await jobOf({ tasks: 2 });
    const missing = new ServerError('docker_missing', 'Docker is not running.');
    const { results } = await make(job, runs, {}, { placement: () => Promise.reject(missing) });
    const error = { message: 'Docker is not running.', code: 'docker_missing' };
    expect(results).toMatchObject([
      { status: 'error', error, trace_dir: null },
      { status: 'error', error, trace_dir: null },
    ]);
  });

  it('keep their last result if all attempts are used up', async () => {
    const { job, runs } = await jobOf({ tasks: 1 });
    const { results } = await make(job, runs, { step: () => Promise.reject(crash) }, { retries: 1 });
    expect(results).toMatchObject([{ status: 'error', error: { code: 'browser_crashed' }, retried: [{}] }]);
  });

  it.each([
    ['container_died', true],
    ['server_died', true],
    ['session_died', true],
    ['page_crashed', true],
    ['browser_failed', true],
    ['session_hung', false],
    ['unsupported_environment', false],
  ] as const)('that end with %s are retried: %s', async (code, again) => {
    const { job, runs } = await jobOf({ tasks: 1 });
    const step = (_: unknown, count: number) =>
      count === 1 ? Promise.reject(new ServerError(code, 'It broke.')) : seen('x');
    const { results } = await make(job, runs, { step });
    expect(results[0]?.status).toBe(again ? 'completed' : 'error');
  });

  it('are not retried if memory runs out in the first step, which is the agent’s fault', async () => {
    const { job, runs } = await jobOf({ tasks: 1 });
    const step = () => Promise.reject(new ServerError('out_of_memory', 'It is too much.'));
    const { results } = await make(job, runs, { step });
    expect(results).toMatchObject([{ status: 'completed', reward: 0, error: null }]);
    expect(results[0]).not.toHaveProperty('retried');
  });

  it('are not retried if an evaluator or an action fails', async () => {
    const { job, runs } = await jobOf({ tasks: 1 });
    for (const code of ['call_threw', 'call_timeout', 'session_died']) {
      const placement = new FakePlacement({
        step: () => seen('x', { error: { code: 'no_element', message: 'No such element.' } }),
        evaluate: () => ({ error: { code: code as 'call_threw', message: 'No.' }, duration_ms: 1 }),
      });
      const { results } = await make(job, runs, placement);
      expect(results).toMatchObject([{ status: 'error', steps: 2, error: { code } }]);
      expect(placement.methods.filter((method) => method === 'session.open')).toHaveLength(1);
    }
  });

  it('that have not started when the user cancels are cancelled without a trace', async () => {
    const { job, runs } = await jobOf({ tasks: 3 });
    const cancel = new AbortController();
    const placement = new FakePlacement({
      step: () => {
        cancel.abort();
        return seen('x');
      },
    });
    const { results } = await make(job, runs, placement, { signal: cancel.signal });
    expect(results.map(({ status, trace_dir }) => [status, trace_dir !== null])).toEqual([
      ['cancelled', true],
      ['cancelled', false],
      ['cancelled', false],
    ]);
  });
});

describe('a resumed job', () => {
  it('repeats a run whose browser could not start', async () => {
    const { job, runs } = await jobOf({ tasks: 1 });
    const failure = new ServerError('browser_failed', 'The browser did not start.');
    const first = await make(job, runs, { step: () => Promise.reject(failure) }, { retries: 0 });
    expect(first.results).toMatchObject([{ status: 'error', error: { code: 'browser_failed' } }]);
    await rm(join(job.folder, 'owner.json'));
    const again = await reopenJob(job.folder);
    const second = await make(again, await runsLeft(again), {});
    await again.end();
    expect(second.results).toMatchObject([{ status: 'completed', reward: 1 }]);
  });

  it('executes only unfinished runs, and keeps their earlier files', async () => {
    const { job, runs } = await jobOf({ tasks: 4 });
    const first = await make(job, runs.slice(0, 3), {
      step: (_, count) => {
        // The third run's browser crashes at each attempt.
        if (count > 4) throw crash;
        return seen('x');
      },
      evaluate: () => verdict(0.5),
    });
    expect(first.results.map((run) => run.status)).toEqual(['completed', 'completed', 'error']);
    // The process was killed in the middle of the second run.
    await rm(join(job.folder, 't1-0', 'run.json'));
    await rm(join(job.folder, 'owner.json'));

    const again = await reopenJob(job.folder);
    const left = await runsLeft(again);
    expect(left.map((run) => run.done?.run_id ?? null)).toEqual(['t0-0', null, null, null]);
    const second = await make(again, left, {});
    await again.end();
    expect(second.results.map((run) => [run.run_id, run.status, run.reward])).toEqual([
      ['t0-0', 'completed', 0.5],
      ['t1-0', 'completed', 1],
      ['t2-0', 'completed', 1],
      ['t3-0', 'completed', 1],
    ]);
    expect(second.placement.methods.filter((method) => method === 'session.open')).toHaveLength(3);
    expect((await openRun(join(job.folder, 't1-0', 'attempts', '1'))).record.status).toBe('interrupted');
    expect(JSON.parse(await readFile(join(job.folder, 'job.json'), 'utf8')).ended_at).not.toBeNull();
  });

  it('repeats a run with a damaged result, but none whose result cannot be read', async () => {
    const { job, runs } = await jobOf({ tasks: 2 });
    await make(job, runs, {});
    await job.end();
    const result = join(job.folder, 't0-0', 'run.json');
    await writeFile(result, '{');
    const again = await reopenJob(job.folder);
    expect((await runsLeft(again)).map(({ done }) => done !== null)).toEqual([false, true]);
    await rm(result);
    await symlink('run.json', result);
    await expect(runsLeft(again)).rejects.toMatchObject({ code: 'ELOOP' });
    // The job is no longer in progress.
    expect(await readdir(job.folder)).not.toContain('owner.json');
  });

  it('is refused while the job runs, and for a folder without a job or plan', async () => {
    const { job, cwd } = await jobOf();
    await expect(reopenJob(job.folder)).rejects.toMatchObject({ code: 'job_running' });
    await job.end();
    await expect(reopenJob(job.folder)).resolves.toMatchObject({ id: job.id });
    await expect(reopenJob(cwd)).rejects.toMatchObject({ code: 'job_missing' });
    const single = await startJob(jobsFolder(cwd), { retention: null });
    await single.end();
    await expect(reopenJob(single.folder)).rejects.toMatchObject({ code: 'job_unplanned' });
  });

  it('is done by one of several processes that resume a job at the same time', async () => {
    const { job } = await jobOf();
    await job.leave();
    const opened = await Promise.allSettled(Array.from({ length: 5 }, async () => await reopenJob(job.folder)));
    const refused = opened.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(refused).toEqual(Array(4).fill(expect.objectContaining({ code: 'job_running' })));
    expect((await readdir(job.folder)).sort()).toEqual(['job.json', 'owner.json']);
  });

  it('is done by one of several processes after the process of the job was killed', async () => {
    const folder = await temporaryFolder();
    const ended = JSON.stringify({ pid: 999_999_999, host: hostname(), born: null });
    // The order in which they replace the owner differs from round to round.
    for (let round = 0; round < 60; round += 1) {
      await writeFile(join(folder, 'owner.json'), ended);
      const claimed = await Promise.all(Array.from({ length: 6 }, () => claim(folder)));
      expect(claimed.filter(Boolean)).toHaveLength(1);
      expect(await readdir(folder)).toEqual(['owner.json']);
    }
  });

  it('reports a missing task, and executes the other runs', async () => {
    const { job, cwd } = await jobOf({ tasks: 2 });
    await job.end();
    await writeFile(join(cwd, 'many.tasks.json'), JSON.stringify([{ id: 't1', prompt: 'Now first.', gym: 'qa' }]));
    const again = await reopenJob(job.folder);
    const left = await runsLeft(again);
    expect(left[0]?.plannedRun.error).toMatchObject({ code: 'task_gone' });
    expect(left[1]?.task).toMatchObject({ id: 't1', prompt: 'Now first.' });
    const { results } = await make(again, left, {});
    expect(results.map((run) => run.status)).toEqual(['error', 'completed']);
  });
});

it('Each run of a job withholds the task files of all', async () => {
  const { job, runs, cwd } = await jobOf({ tasks: 2 });
  const other = join(cwd, 'other.json');
  const [first] = job.plan.runs;
  const plan = {
    ...job.plan,
    runs: [...job.plan.runs, ...(first ? [{ ...first, file: other, run_id: 'other' }] : [])],
  };
  const told: string[][] = [];
  await make({ ...job, plan }, runs, {
    open: async ({ withheld = [] }: OpenOptions) => {
      told.push(withheld.filter(({ role }) => role === 'task').map(({ path }) => path));
    },
  });
  expect(told).toEqual(runs.map(() => [join(cwd, 'many.tasks.json'), other]));
});
