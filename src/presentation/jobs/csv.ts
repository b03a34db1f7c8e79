import { relativeRewards } from '../../results/group-relative.ts';
import { type JobState, resultsOf } from './present.ts';

/**
 * The runs of a job as CSV (RFC 4180), with the field names of `run.json`. `group_relative` is a column if a task was repeated.
 */
export function csvOf({ runs }: Pick<JobState, 'runs'>): string {
  const relative = relativeRewards(resultsOf(runs));
  const rows = runs.map(({ plannedRun: { file, task_id, run_id, agent, seed }, result, reasons, running }) => ({
    ...{ file, task_id, run_id, agent, seed },
    status: running ? 'running' : (result?.status ?? 'waiting'),
    reward: result?.reward,
    ...(relative.size === 0 ? {} : { group_relative: result && relative.get(result) }),
    success: result?.success,
    steps: result?.steps,
    duration_ms: result?.duration_ms,
    error: result?.error?.message,
    reasons: running ? '' : reasons,
  }));
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
  return lines.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}

function field(value: string | number | boolean | null | undefined): string {
  const text = String(value ?? '');
  // A spreadsheet must not run a text as a formula.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
