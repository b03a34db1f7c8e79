import { relativeRewards } from '../../results/group-relative.ts';
import { type JobState, resultsOf } from './present.ts';

const COLUMNS = [
  'file',
  'task_id',
  'run_id',
  'agent',
  'seed',
  'status',
  'reward',
  'group_relative',
  'success',
  'steps',
  'duration_ms',
  'error',
  'reasons',
];

/**
 * The runs of a job as CSV (RFC 4180), with the field names of `run.json`. `group_relative` is a column if a task was repeated.
 */
export function csvOf({ runs }: Pick<JobState, 'runs'>): string {
  const relative = relativeRewards(resultsOf(runs));
  const columns = COLUMNS.filter((name) => name !== 'group_relative' || relative.size > 0);
  const rows = runs.map(({ planned, result, reasons, running }) => [
    planned.file,
    planned.task_id,
    planned.run_id,
    planned.agent,
    planned.seed,
    running ? 'running' : (result?.status ?? 'waiting'),
    result?.reward,
    ...(relative.size === 0 ? [] : [result === null ? null : relative.get(result)]),
    result?.success,
    result?.steps,
    result?.duration_ms,
    result?.error?.message,
    running ? '' : reasons,
  ]);
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(value: string | number | boolean | null | undefined): string {
  const text = String(value ?? '');
  // A spreadsheet must not run a text as a formula.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
