import { type JobStatistics, jobStatistics } from '../../results/statistics.ts';
import type { JobPlan } from '../../traces/job-file.ts';
import { newGroupId, newJobId, newRunId } from '../../traces/names.ts';
import type { Run, RunRecord } from '../../traces/trace.ts';
import { JobError, type PlannedJob, startJob } from './job.ts';
import { type JobOptions, type JobRun, makeRuns } from './job-runs.ts';
import { type JobTask, portablePlan } from './job-tasks.ts';
import type { Retention } from './retention.ts';
import { type Seeds, seedOf } from './seeds.ts';
import { skippedRun } from './skipped-run.ts';

/** What a new job is. `cwd`, the limits, and `mask`: see `JobPlan`. */
export interface NewJob extends Omit<JobPlan, 'runs' | 'portable'> {
  readonly tasks: readonly JobTask[];
  /** Number of runs of each task. */
  readonly repeats: number;
  readonly seeds: Seeds;
  /** The folder of jobs. */
  readonly root: string;
  /** What stays of older jobs in `root`; null: everything. */
  readonly retention: Retention | null;
  /** Whether other machines can make its runs. */
  readonly portable?: boolean;
  /** Whether it is recorded even if none of its tasks can run. */
  readonly recordsRefused?: boolean;
}

/** The runs of a job that this process makes, in the order of the plan. */
export interface PreparedJob {
  /** Null if no task can run, so that nothing is recorded. */
  readonly job: PlannedJob | null;
  readonly runs: readonly JobRun[];
}

/** The result of a job. */
export interface JobResult {
  readonly id: string;
  /** Null if nothing was recorded. */
  readonly folder: string | null;
  /** In the order of the plan. */
  readonly results: readonly (Run | RunRecord)[];
  readonly statistics: JobStatistics;
  /** Why the end of the job could not be recorded; null if it was. */
  readonly failure: JobError | null;
}

/** Plans all runs of a job before the first one starts, and records the plan. Rejects with `JobError`. */
export async function prepareJob(options: NewJob): Promise<PreparedJob> {
  const { tasks, repeats, seeds, root, retention, portable, recordsRefused, mask, ...settings } = options;
  const runs = tasks.flatMap(({ file, id, index, task, error, agent, placement }): JobRun[] => {
    const group_id = newGroupId();
    return Array.from({ length: task === null ? 1 : repeats }, (_, repeat) => {
      const seed = seedOf(seeds, repeat);
      const run_id = newRunId({ id, index });
      return {
        plannedRun: { run_id, file, task_id: id, index, group_id, seed, agent, placement, error },
        task,
        done: null,
      };
    });
  });
  if (recordsRefused !== true && runs.every(({ task }) => task === null)) return { job: null, runs };
  const localPlan: JobPlan = { ...settings, ...(mask === true && { mask }), runs: runs.map((run) => run.plannedRun) };
  const plan = portable === true ? portablePlan(localPlan) : localPlan;
  return { job: { ...(await startJob(root, { retention, plan })), plan }, runs };
}

/**
 * Makes the runs of a job, records its end, and waits until older jobs are removed. A job of which this process makes a
 * part is left to others. Never rejects for failed runs.
 */
export async function runJob({ job, runs }: PreparedJob, options: JobOptions): Promise<JobResult> {
  if (job === null) {
    const results = runs.map(({ plannedRun }) => skippedRun(plannedRun));
    results.forEach(options.ended);
    return { id: newJobId(), folder: null, results, statistics: jobStatistics(results), failure: null };
  }
  const results = await makeRuns(job, runs, options);
  const isWhole = runs.length === job.plan.runs.length;
  const failure = await (isWhole ? job.end() : job.leave()).then(
    () => null,
    (error: unknown) => {
      // The runs are not lost with the record of their end.
      if (error instanceof JobError) return error;
      throw error;
    },
  );
  return { id: job.id, folder: job.folder, results, statistics: jobStatistics(results), failure };
}
