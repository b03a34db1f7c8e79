import { dirname } from 'node:path';
import { JobError } from '../runs/job/job.ts';
import { junit } from '../runs/job/junit.ts';
import { relativeRewards } from '../runs/results/group-relative.ts';
import type { Run, RunRecord } from '../runs/store/trace.ts';
import { TraceError } from '../runs/store/trace-file.ts';
import { withoutDetails } from '../runs/store/without-details.ts';
import { UsageError } from '../runs/usage-error.ts';
import { describeSystemError, makeFolder, writeNamedFile } from '../tasks/system-error.ts';

/** Turns errors of jobs and their runs into errors of the command line. */
export async function withJobErrors<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof JobError || error instanceof TraceError) {
      throw new UsageError(error.code, error.message, { cause: error });
    }
    throw error;
  }
}

/** Writes the report of `--junit`. Rejects with `UsageError` `cannot_write`. */
export async function writeJunit(path: string, jobId: string, runs: readonly (Run | RunRecord)[]): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await writeNamedFile(path, junit(jobId, runs));
  } catch (error) {
    throw new UsageError('cannot_write', `The report ${path} cannot be written: ${describeSystemError(error)}.`, {
      cause: error,
    });
  }
}

/** Runs as `--json` prints them. Those of a repeated task have their reward relative to its other runs. */
export function printedRuns(runs: readonly (Run | RunRecord)[]): readonly object[] {
  const relative = relativeRewards(runs);
  return runs.map((run) => {
    const group_relative = relative.get(run);
    return { ...withoutDetails(run), ...(group_relative === undefined ? {} : { group_relative }) };
  });
}
