import { relativeRewards } from '../../results/group-relative.ts';
import { type JobRunState, type JobState, resultsOf } from './present.ts';

type Value = string | number | boolean | null | undefined;

/**
 * The runs of a job as CSV (RFC 4180), with the field names of `run.json`. `group_relative` is a column if a task was repeated.
 */
export function csvOf({ runs }: Pick<JobState, 'runs'>): string {
  const relative = relativeRewards(resultsOf(runs));
  const columns: Readonly<Record<string, (run: JobRunState) => Value>> = {
    file: ({ plannedRun }) => plannedRun.file,
    task_id: ({ plannedRun }) => plannedRun.task_id,
    run_id: ({ plannedRun }) => plannedRun.run_id,
    agent: ({ plannedRun }) => plannedRun.agent,
    seed: ({ plannedRun }) => plannedRun.seed,
    status: ({ result, running }) => (running ? 'running' : (result?.status ?? 'waiting')),
    reward: ({ result }) => result?.reward,
    ...(relative.size > 0 && { group_relative: ({ result }: JobRunState) => result && relative.get(result) }),
    success: ({ result }) => result?.success,
    steps: ({ result }) => result?.steps,
    duration_ms: ({ result }) => result?.duration_ms,
    error: ({ result }) => result?.error?.message,
    reasons: ({ reasons, running }) => (running ? '' : reasons),
  };
  const lines = [Object.keys(columns), ...runs.map((run) => Object.values(columns).map((read) => read(run)))];
  return lines.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}

function field(value: Value): string {
  const text = String(value ?? '');
  // A spreadsheet must not run a text as a formula.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
