import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Placement } from '../../placement/placement.ts';
import { selectRow } from '../../tasks/address.ts';
import { loadTaskFile } from '../../tasks/discover.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import { describeSystemError } from '../../tasks/system-error.ts';
import type { Task } from '../../tasks/task.ts';
import { canRetry } from '../run/blame.ts';
import type { RunListener } from '../run/events.ts';
import type { LiveSwitch } from '../run/live-switch.ts';
import { readRecord } from '../store/store.ts';
import type { Run, RunError, RunRecord } from '../store/trace.ts';
import type { Job } from './job.ts';
import type { JobPlan, PlannedRun } from './job-file.ts';
import { setAside } from './set-aside.ts';
import { untracedRun } from './untraced-run.ts';

/** How often a run in a job of several is made again where what it ran in broke. */
export const USUAL_RETRIES = 2;

/** Before another attempt, and as much more before each further one: that a browser has died is known everywhere then. */
const PAUSE_MS = 200;

/** How many runs go on at once where nobody says: one a processor, and no more than four, each with its own pages. */
export function usualConcurrency(): number {
  return Math.min(4, availableParallelism());
}

/** One run of a job, ready to be made. */
export interface JobRun {
  readonly planned: PlannedRun;
  /** Null where the task is refused, or the run is done. */
  readonly task: Task | null;
  /** What an earlier process of the job has finished. */
  readonly done: RunRecord | null;
}

/** Who follows one run of a job. */
export interface RunWatch {
  /** Hears what the run tells; an `ended` only at its last attempt. */
  listen: RunListener;
  /** Turned on while somebody watches the picture. */
  live?: LiveSwitch;
  /** Cancels this run alone. */
  cancel?: AbortSignal;
}

export interface JobOptions {
  readonly concurrency: number;
  /** How many further attempts a run gets where `canRetry` says so. */
  readonly retries: number;
  placement(run: JobRun): Promise<Placement>;
  /** A run begins. */
  started(run: JobRun & { readonly task: Task }, index: number): RunWatch;
  /** A run has its result: refused, finished, or cancelled before its turn. */
  ended(result: Run | RunRecord, index: number): void;
  readonly agentProgram?: string;
  readonly signal: AbortSignal;
}

interface AttemptOptions extends JobOptions {
  /** Absolute paths of all task files of the job. */
  readonly taskFiles: readonly string[];
}

/**
 * Makes the runs of a job in their order, several at once; those that are done count as they are. Resolves with a
 * result for each, in that order, whatever happens to them.
 */
export async function makeRuns(
  job: Job & { readonly plan: JobPlan },
  runs: readonly JobRun[],
  options: JobOptions,
): Promise<(Run | RunRecord)[]> {
  const results: (Run | RunRecord)[] = new Array(runs.length);
  const taskFiles = [...new Set(job.plan.runs.map(({ file }) => file))];
  const left = runs.entries();
  const work = async (): Promise<void> => {
    for (const [index, run] of left) {
      const result = run.done ?? (await resultOf(job, run, index, { ...options, taskFiles }));
      results[index] = result;
      options.ended(result, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, runs.length) }, work));
  return results;
}

async function resultOf(
  job: Job & { readonly plan: JobPlan },
  run: JobRun,
  index: number,
  options: AttemptOptions,
): Promise<Run | RunRecord> {
  const { planned, task } = run;
  if (task === null) return unmade(planned, planned.error);
  if (options.signal.aborted) return unmade(planned, null);
  try {
    return await makeRun(job, { ...run, task }, index, options);
  } catch (error) {
    const message = `The run cannot be recorded in ${job.folder}: ${describeSystemError(error)}.`;
    return unmade(planned, { message, code: 'trace_unwritable' });
  }
}

/** One run: as many attempts as it takes, and may take. */
async function makeRun(
  job: Job & { readonly plan: JobPlan },
  run: JobRun & { readonly task: Task },
  index: number,
  { placement, started, retries, signal: all, agentProgram, taskFiles }: AttemptOptions,
): Promise<RunRecord> {
  const { planned, task } = run;
  const { cwd, max_steps, evaluate_timeout_ms, timeout_ms, mask } = job.plan;
  const folder = join(job.folder, planned.run_id);
  const { listen, live, cancel } = started(run, index);
  const signal = cancel === undefined ? all : AbortSignal.any([all, cancel]);
  const retried: { message: string; code: string }[] = [];
  // Of an earlier process of the job.
  await setAside(folder);
  for (;;) {
    const record = await job.run(
      {
        task,
        agent: planned.agent ?? 'noop',
        runId: planned.run_id,
        groupId: planned.group_id,
        seed: planned.seed,
        cwd,
        taskFiles,
        ...(max_steps === undefined ? {} : { maxSteps: max_steps }),
        ...(evaluate_timeout_ms === undefined ? {} : { evaluateTimeoutMs: evaluate_timeout_ms }),
        ...(timeout_ms === undefined ? {} : { timeoutMs: timeout_ms }),
        ...(mask === undefined ? {} : { mask }),
        ...(live === undefined ? {} : { live }),
        ...(agentProgram === undefined ? {} : { agentProgram }),
        ...(retried.length === 0 ? {} : { retried: [...retried] }),
      },
      await placement(run),
      (event) => {
        if (event.type !== 'ended') listen(event);
      },
      signal,
    );
    const { error } = record;
    if (error === null || !canRetry(error) || retried.length >= retries || signal.aborted) {
      listen({ type: 'ended', record });
      return record;
    }
    retried.push({ message: error.message, code: error.code });
    await setAside(folder);
    listen({ type: 'retry', error });
    // A cancel ends the pause, and the next attempt at once.
    await delay(PAUSE_MS * retried.length, undefined, { signal }).catch(() => {});
  }
}

/** The result of a run that is not made: refused with an error, else cancelled before its turn. */
export function unmade(planned: PlannedRun, error: RunError | null): Run {
  const { run_id, file, task_id, index, group_id, seed } = planned;
  return untracedRun({ runId: run_id, file, taskId: task_id, index, groupId: group_id, seed, error });
}

/**
 * The runs of a job that was killed or stopped, with what is finished. Not finished are runs that were cancelled or
 * never ended, and those that ended because what they ran in broke. Tasks are read as they are now.
 */
export async function runsLeft(job: Job & { readonly plan: JobPlan }): Promise<JobRun[]> {
  const files = new Map<string, Promise<TaskFile>>();
  return await Promise.all(
    job.plan.runs.map(async (planned): Promise<JobRun> => {
      if (planned.error !== null) return { planned, task: null, done: null };
      // One that is broken is made again.
      const record = await readRecord(join(job.folder, planned.run_id)).catch(() => null);
      if (record !== null && isFinished(record)) return { planned, task: null, done: record };
      const { file } = planned;
      const reading = files.get(file) ?? loadTaskFile(file);
      files.set(file, reading);
      try {
        const read = await reading;
        const there = read.rows[planned.index];
        // Another row may have the same id.
        const row = there?.name === planned.task_id ? there : selectRow(read, planned.task_id);
        const message = `The task “${planned.task_id}” is not in ${file} any more, or cannot be read.`;
        if (row?.task) return { planned, task: row.task, done: null };
        return { planned: { ...planned, error: { message, code: 'task_gone', file } }, task: null, done: null };
      } catch (error) {
        const { message } = error as Error;
        return { planned: { ...planned, error: { message, code: 'task_gone', file } }, task: null, done: null };
      }
    }),
  );
}

/** Whether going on with a job leaves this run as it is. */
export function isFinished(run: Pick<Run, 'status' | 'error'>): boolean {
  return run.status === 'completed' || (run.status === 'error' && !canRetry(run.error));
}
