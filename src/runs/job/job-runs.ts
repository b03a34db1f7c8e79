import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defined } from '../../base/defined.ts';
import { mapAtMost } from '../../base/map-at-most.ts';
import { describeSystemError } from '../../base/system-error.ts';
import type { Placement } from '../../placement/placement.ts';
import type { Task } from '../../tasks/task.ts';
import type { PlannedRun } from '../../traces/job-file.ts';
import { readLimits } from '../../traces/limits.ts';
import { setAside } from '../../traces/set-aside.ts';
import { AT_ONCE, readRecord, withAgent } from '../../traces/store.ts';
import type { Run, RunRecord } from '../../traces/trace.ts';
import { TraceError } from '../../traces/trace-file.ts';
import type { RunListener } from '../events.ts';
import { canRetry } from '../run/blame.ts';
import { RunFailure, toRunError } from '../run/failure.ts';
import type { RunPlan } from '../run/plan.ts';
import { CurrentTasks } from '../selection/current-tasks.ts';
import type { WithServer } from '../selection/own-tasks.ts';
import type { PlannedJob } from './job.ts';
import { runsOfShard, type Shard } from './shard.ts';
import { skippedRun } from './skipped-run.ts';

/** Default number of retries of a run. */
export const DEFAULT_RETRIES = 2;

/** Pause before another attempt, longer for each one, so that all processes have noticed the crash. */
const PAUSE_MS = 200;

/** Default number of parallel runs: one per processor, up to four. */
export function defaultConcurrency(): number {
  return Math.min(4, availableParallelism());
}

/** One run of a job. */
export interface JobRun {
  readonly plannedRun: PlannedRun;
  /** Null if the task cannot run or the run is finished. */
  readonly task: Task | null;
  /** The result if an earlier process of the job finished the run. */
  readonly done: RunRecord | null;
}

/** An observer of one run of a job, with what it adds to the plan of the run. */
export interface RunWatch extends Pick<RunPlan, 'live' | 'manualInput' | 'debugger' | 'client'> {
  /** Gets the events of the run; `ended` only for its last attempt. */
  listen: RunListener;
  /** Cancels only this run. */
  cancel?: AbortSignal;
}

export interface JobOptions {
  readonly concurrency: number;
  /** Maximum number of further attempts after errors for which `canRetry` is true. */
  readonly retries: number;
  placement(run: JobRun): Promise<Placement>;
  /** Called when a run starts. */
  started(run: JobRun & { readonly task: Task }, index: number): RunWatch;
  /** Called when a run has a result: its task cannot run, it ended, or it was cancelled before its turn. */
  ended(result: Run | RunRecord, index: number): void;
  readonly agentProgram?: string;
  /** The names of environment variables that agents get; none if absent. */
  readonly agentVariables?: readonly string[];
  readonly signal: AbortSignal;
}

interface AttemptOptions extends JobOptions {
  /** Absolute paths of all task files of the job. */
  readonly taskFiles: readonly string[];
}

/**
 * Executes the runs of a job in their order and in parallel, except finished ones. Resolves with the results in that order;
 * never rejects for failed runs.
 */
export async function makeRuns(
  job: PlannedJob,
  runs: readonly JobRun[],
  options: JobOptions,
): Promise<(Run | RunRecord)[]> {
  const taskFiles = [...new Set(job.plan.runs.map(({ file }) => file))];
  return await mapAtMost(options.concurrency, runs, async (run, index) => {
    const result = run.done ?? (await resultOf(job, run, index, { ...options, taskFiles }));
    options.ended(result, index);
    return result;
  });
}

async function resultOf(
  job: PlannedJob,
  run: JobRun,
  index: number,
  options: AttemptOptions,
): Promise<Run | RunRecord> {
  const { plannedRun, task } = run;
  if (task === null) return skippedRun(plannedRun);
  if (options.signal.aborted) return skippedRun(plannedRun, null);
  try {
    return await makeRun(job, { ...run, task }, index, options);
  } catch (error) {
    if (error instanceof RunFailure) return skippedRun(plannedRun, error.error);
    const message = `The run cannot be recorded in ${job.folder}: ${describeSystemError(error)}.`;
    return skippedRun(plannedRun, { message, code: 'trace_unwritable' });
  }
}

/** Executes one run with its retries. */
async function makeRun(
  job: PlannedJob,
  run: JobRun & { readonly task: Task },
  index: number,
  { placement, started, retries, signal: all, agentProgram, agentVariables, taskFiles }: AttemptOptions,
): Promise<RunRecord> {
  const { plannedRun, task } = run;
  const { cwd, mask } = job.plan;
  const folder = join(job.folder, plannedRun.run_id);
  const { listen, cancel, ...additions } = started(run, index);
  const signal = cancel === undefined ? all : AbortSignal.any([all, cancel]);
  const failures: { message: string; code: string }[] = [];
  // Files of an earlier process of the job.
  await setAside(folder);
  for (;;) {
    const environment = await placement(run).catch((error: unknown) => {
      throw new RunFailure(toRunError(error), { cause: error });
    });
    const record = await job.run(
      {
        task,
        agent: plannedRun.agent ?? 'noop',
        runId: plannedRun.run_id,
        groupId: plannedRun.group_id,
        seed: plannedRun.seed,
        cwd,
        taskFiles,
        limits: readLimits((_, name) => job.plan[name]),
        ...additions,
        ...defined({ mask, agentProgram, agentVariables }),
        ...(failures.length === 0 ? {} : { retried: [...failures] }),
      },
      environment,
      (event) => {
        if (event.type !== 'ended') listen(event);
      },
      signal,
    );
    const { error } = record;
    if (error === null || !canRetry(error) || failures.length >= retries || signal.aborted) {
      listen({ type: 'ended', record });
      return record;
    }
    failures.push({ message: error.message, code: error.code });
    await setAside(folder);
    listen({ type: 'retry', error });
    // Cancelling ends the pause and the next attempt.
    await delay(PAUSE_MS * failures.length, undefined, { signal }).catch(() => {});
  }
}

/**
 * The runs of a job to resume, with the results of finished runs. Cancelled and interrupted runs and those with an error that
 * can be retried are not finished. Tasks are read in their current version. With a shard, only its runs. Rejects with a
 * system error if a result cannot be read, and leaves the job to others then.
 *
 * @param withServer reads own tasks of environments without an address
 */
export async function runsLeft(
  job: PlannedJob,
  withServer: WithServer | null = null,
  shard: Shard | null = null,
): Promise<JobRun[]> {
  const tasks = new CurrentTasks(withServer);
  const plannedRuns = shard === null ? job.plan.runs : runsOfShard(job.plan.runs, shard);
  try {
    return await mapAtMost(AT_ONCE, plannedRuns, async (plannedRun): Promise<JobRun> => {
      if (plannedRun.error !== null) return { plannedRun, task: null, done: null };
      const { file, task_id: id, index, run_id, agent } = plannedRun;
      const record = await readRecord(join(job.folder, run_id)).catch(nullIfDamaged);
      if (record !== null && isFinished(record)) return { plannedRun, task: null, done: withAgent(record, agent) };
      const row = await tasks.row({ file, id, index }).catch((error: Error) => error);
      if (!(row instanceof Error) && row?.task) return { plannedRun, task: row.task, done: null };
      const message =
        row instanceof Error ? row.message : `The task “${id}” is no longer in ${file}, or cannot be read.`;
      return { plannedRun: { ...plannedRun, error: { message, code: 'task_gone', file } }, task: null, done: null };
    });
  } catch (error) {
    // Otherwise the job would be shown as in progress as long as this process lives.
    await job.leave();
    throw error;
  }
}

/** A run with a damaged record is made again; one whose record cannot be read just now is not. */
function nullIfDamaged(error: unknown): null {
  if (error instanceof TraceError) return null;
  throw error;
}

/** Whether resuming a job keeps this run. */
export function isFinished(run: Pick<Run, 'status' | 'error'>): boolean {
  return run.status === 'completed' || (run.status === 'error' && !canRetry(run.error));
}
