import { join } from 'node:path';
import { type PlannedRun, readJobFile } from '../../traces/job-file.ts';
import { isOwned } from '../../traces/owner.ts';
import { folders, openRun, readRecordSync, withAgent } from '../../traces/store.ts';
import type { Run, RunRecord } from '../../traces/trace.ts';
import { type TraceError, unreadable } from '../../traces/trace-file.ts';
import { withoutDetails } from '../../traces/without-details.ts';
import { JobError } from './job.ts';
import { skippedRun } from './skipped-run.ts';

/** The results of a job on disk. */
export interface JobResults {
  readonly id: string;
  /** The runs that were started, and those whose task cannot run, in the order of the plan. */
  readonly runs: readonly Run[];
  /** The runs that were not started. */
  readonly missing: readonly PlannedRun[];
  /** The process of the job is alive. */
  readonly running: boolean;
}

/**
 * Reads the results of a job. Blocks the process while it reads, because thousands of results are read several times as fast
 * that way. `onRun` gets each run with its details. Runs without a readable result are interrupted. Damaged files are
 * reported. Rejects with `JobError` if the folder is not a job.
 */
export async function readJobResults(
  folder: string,
  { onRun, onProblem }: { onRun?: (run: Run | RunRecord) => void; onProblem: (error: TraceError) => void },
): Promise<JobResults> {
  const file = await readJobFile(folder);
  if (file === null) throw new JobError('job_missing', `${folder} is not a job, because it has no readable job.json.`);
  const startedRuns = new Set(await folders(folder));
  const runs: Run[] = [];
  const add = (run: Run | RunRecord): void => {
    onRun?.(run);
    runs.push(withoutDetails(run));
  };
  const missing: PlannedRun[] = [];
  const read = async (runId: string, agent: string | null = null): Promise<void> => {
    const run = join(folder, runId);
    const report = (error: unknown): null => {
      onProblem(unreadable(run, error));
      return null;
    };
    let record: RunRecord | null = null;
    try {
      record = readRecordSync(run);
    } catch (error) {
      report(error);
    }
    record ??= await openRun(run).then((opened) => opened.record, report);
    if (record !== null) add(withAgent(record, agent));
  };
  for (const plannedRun of file.plan?.runs ?? []) {
    if (plannedRun.error !== null) add(skippedRun(plannedRun));
    else if (!startedRuns.has(plannedRun.run_id)) missing.push(plannedRun);
    else await read(plannedRun.run_id, plannedRun.agent);
  }
  if (file.plan === undefined) for (const runId of [...startedRuns].sort()) await read(runId);
  return { id: file.job_id, runs, missing, running: await isOwned(folder) };
}
