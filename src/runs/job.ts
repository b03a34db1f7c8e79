import type { Placement } from '../placement/placement.ts';
import type { RunListener } from './events.ts';
import type { RunPlan } from './runner.ts';
import type { RunRecord } from './trace.ts';

/** A batch of runs on disk: `<root>/<job_id>/`. */
export interface Job {
  readonly id: string;
  /** Runs one task as part of this job. */
  run(
    plan: Omit<RunPlan, 'jobId' | 'out'>,
    placement: Placement,
    listen: RunListener,
    signal: AbortSignal,
  ): Promise<RunRecord>;
  /** Marks the job as finished. */
  end(): Promise<void>;
}

/**
 * Makes the folder of a new job. `root` is the folder of jobs (`jobsFolder(workspaceFolder)` or a person's own);
 * with `keepRuns` older finished jobs beyond the newest that together hold that many runs are removed first.
 */
export async function startJob(root: string, options: { keepRuns: number | null }): Promise<Job> {
  void [root, options];
  throw new Error('jobs are not there yet');
}

/** `<folder>/.taskwright/jobs`, where runs go by default. */
export function jobsFolder(folder: string): string {
  return `${folder}/.taskwright/jobs`;
}
