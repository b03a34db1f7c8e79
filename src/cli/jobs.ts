import { dirname } from 'node:path';
import { describeSystemError, isSystemError, makeFolder, writeNamedFile } from '../base/system-error.ts';
import { type Job, JobError } from '../runs/job/job.ts';
import { junit } from '../runs/job/junit.ts';
import { describeRemoval } from '../runs/job/retention.ts';
import { asUsageError } from '../runs/usage-error.ts';
import type { Run, RunRecord } from '../traces/trace.ts';
import { TraceError } from '../traces/trace-file.ts';
import type { Output } from './output.ts';

/** Turns errors of jobs and their runs into errors of the command line. */
export async function withJobErrors<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw asUsageError(error, JobError, TraceError);
  }
}

/** Writes the report of `--junit`. If that fails, the runs still count, so it resolves with the reason; otherwise with null. */
export async function writeJunit(
  path: string,
  jobId: string,
  runs: readonly (Run | RunRecord)[],
): Promise<string | null> {
  try {
    await makeFolder(dirname(path));
    await writeNamedFile(path, junit(jobId, runs));
    return null;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `The report ${path} cannot be written: ${describeSystemError(error)}.`;
  }
}

/** Prints which old jobs were removed for a new one, and why. */
export async function noteRemoval(job: Job | null, output: Output): Promise<void> {
  const removal = (await job?.removal) ?? null;
  if (removal !== null) output.note(output.paintNote('dim', describeRemoval(removal)));
}
