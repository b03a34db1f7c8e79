import { basename } from 'node:path';
import { skippedRun } from '../../runs/job/skipped-run.ts';
import type { PlannedRun } from '../../traces/job-file.ts';
import type { JobEntry } from '../../traces/store.ts';
import type { Run } from '../../traces/trace.ts';
import type { JobRunState, JobState } from './present.ts';

/** A job read from disk; null for a single run. */
export function recordedJob(entry: JobEntry): JobState | null {
  const { plan, folder, startedAt } = entry;
  if (plan === null || plan.runs.length < 2) return null;
  const recordedRuns = new Map(entry.runs.map((run) => [run.run.run_id, run]));
  const problems = new Map(entry.problems.map(({ traceDir, message }) => [basename(traceDir), message]));
  let endedAt = Date.parse(startedAt);
  const runs = plan.runs.map((plannedRun): JobRunState => {
    const runEntry = recordedRuns.get(plannedRun.run_id);
    if (runEntry === undefined) {
      const problem = problems.get(plannedRun.run_id);
      const reasons = plannedRun.error?.message ?? problem ?? '';
      return { plannedRun, result: resultOf(plannedRun, problem), reasons, running: false };
    }
    const { run, reasons, running } = runEntry;
    endedAt = Math.max(endedAt, Date.parse(run.started_at) + run.duration_ms);
    return { plannedRun, result: running ? null : run, reasons, running };
  });
  const isUnfinished = runs.some(
    ({ result }) => result === null || result.status === 'interrupted' || result.status === 'cancelled',
  );
  const status = entry.running ? 'running' : isUnfinished ? 'unfinished' : 'ended';
  return { folder, startedAt, status, endedAt: entry.running ? null : endedAt, runs, concurrency: null };
}

/** The result of a run without a trace: its task was refused, for the reason in the plan, or it cannot be read. */
function resultOf(plannedRun: PlannedRun, problem: string | undefined): Run | null {
  if (plannedRun.error === null && problem === undefined) return null;
  const run = skippedRun(plannedRun);
  return plannedRun.error === null ? { ...run, status: 'interrupted' } : run;
}
