import { basename } from 'node:path';
import type { PlannedRun } from '../../runs/job/job-file.ts';
import { jobStatistics } from '../../runs/results/statistics.ts';
import type { Run } from '../../runs/store/trace.ts';
import { agentLabel } from '../runs/agents.ts';
import { formatReward, type VerdictKind, verdictOf } from '../runs/verdict.ts';
import type { CellOutcome, JobCell, JobHead, JobRow } from './messages.ts';

/** A run of a job as far as it has come. */
export interface JobRunState {
  readonly planned: PlannedRun;
  /** Null before its end. */
  readonly result: Run | null;
  readonly running: boolean;
}

/** A job as the views have it, whether it is under way here or read from disk. */
export interface JobState {
  readonly folder: string;
  readonly startedAt: string;
  readonly status: JobHead['status'];
  readonly endedAt: number | null;
  readonly runs: readonly JobRunState[];
  /** How many go on at once; null where that is over. */
  readonly concurrency: number | null;
}

/** A row holds so many repeats at most. */
export const MOST_CELLS = 20;

const OUTCOMES: Record<VerdictKind, CellOutcome> = {
  none: 'waiting',
  running: 'running',
  passed: 'pass',
  partial: 'partial',
  failed: 'fail',
  ungraded: 'none',
  error: 'error',
  cancelled: 'stopped',
  interrupted: 'interrupted',
};

/** The job's figures and how far it is. */
export function presentHead(job: JobState): JobHead {
  const results = job.runs.flatMap(({ result }) => (result === null ? [] : [result]));
  const ended = results.filter(({ status }) => status !== 'interrupted').length;
  const tasks = new Set(job.runs.map(({ planned }) => planned.group_id)).size;
  const repeats = Math.max(0, ...groupsOf(job).map((runs) => runs.length));
  const agents = [...new Set(job.runs.flatMap(({ planned }) => labelOf(planned)))];
  const places = [...new Set(job.runs.map(({ planned }) => planned.placement))];
  const chips = [places.join(', '), agents.length > 2 ? `${agents.length} agents` : agents.join(', ')];
  if (job.concurrency !== null) chips.push(`${job.concurrency} at once`);
  return {
    folder: job.folder,
    title: `${plural(tasks, 'task')}${repeats > 1 ? ` × ${repeats}` : ''}`,
    status: job.status,
    startedAt: job.startedAt,
    durationMs: job.endedAt === null ? null : Math.max(0, job.endedAt - Date.parse(job.startedAt)),
    total: job.runs.length,
    ended,
    running: job.runs.filter(({ running }) => running).length,
    figures: figuresOf(results),
    chips: chips.filter((chip) => chip !== ''),
  };
}

function labelOf({ agent, task_id }: PlannedRun): string[] {
  return agent === null ? [] : [agentLabel(agent, task_id)];
}

function figuresOf(results: readonly Run[]): JobHead['figures'] {
  const counted = jobStatistics(results);
  const { mean_reward, std_reward, success_rate, success_interval, pass_at } = counted;
  const figures: { name: string; value: string; title: string }[] = [];
  if (success_rate !== null && success_interval !== null) {
    const [low, high] = success_interval.map(percent);
    figures.push({
      name: 'success',
      value: `${percent(success_rate)} (${low}–${high})`,
      title: `${counted.successes} of ${counted.graded} graded runs have reward 1; in brackets where the rate lies with 95 % confidence`,
    });
  }
  if (mean_reward !== null && std_reward !== null) {
    figures.push({
      name: 'mean reward',
      value: `${formatReward(mean_reward)} ± ${std_reward.toFixed(2)}`,
      title: 'Mean and standard deviation over the graded runs',
    });
  }
  for (const { k, value, tasks } of pass_at) {
    if (k === 1) continue;
    figures.push({
      name: `pass@${k}`,
      value: percent(value),
      title: `The chance that at least one of ${k} tries at a task succeeds, over ${plural(tasks, 'task')}`,
    });
  }
  if (counted.errors > 0) {
    figures.push({
      name: 'errors',
      value: String(counted.errors),
      title: 'Runs without a reward, because something went wrong',
    });
  }
  return figures;
}

/** The rows of the grid in the order of the plan; `rank` says how they are shown. */
export function presentRows(job: JobState): readonly JobRow[] {
  const rows: JobRow[] = [];
  for (const runs of groupsOf(job)) {
    for (let first = 0; first < runs.length; first += MOST_CELLS) {
      rows.push(presentRow(runs.slice(first, first + MOST_CELLS), first + 1, rows.length));
    }
  }
  return rows;
}

function groupsOf(job: JobState): readonly (readonly JobRunState[])[] {
  const groups = new Map<string, JobRunState[]>();
  for (const run of job.runs) {
    const group = groups.get(run.planned.group_id);
    if (group === undefined) groups.set(run.planned.group_id, [run]);
    else group.push(run);
  }
  return [...groups.values()];
}

function presentRow(runs: readonly JobRunState[], first: number, place: number): JobRow {
  const { group_id = '', task_id = '', file = '' } = runs[0]?.planned ?? {};
  const results = runs.flatMap(({ result }) => (result === null ? [] : [result]));
  const { mean_reward, std_reward, graded } = jobStatistics(results);
  return {
    key: `${group_id} ${first}`,
    place,
    rank: rankOf(runs),
    task: task_id,
    title: `${basename(file)}#${task_id}`,
    first,
    summary:
      mean_reward === null || std_reward === null
        ? ''
        : graded === 1
          ? formatReward(mean_reward)
          : `${formatReward(mean_reward)} ± ${std_reward.toFixed(2)}`,
    cells: runs.map(presentCell),
  };
}

/** Rows with an error come first, then by their mean reward as long as it is not 1, then what is under way. */
function rankOf(runs: readonly JobRunState[]): number {
  const results = runs.flatMap(({ result }) => (result === null ? [] : [result]));
  if (results.some(({ status, reward }) => status === 'error' || (status === 'completed' && reward === null))) return 0;
  const { mean_reward, successes, graded } = jobStatistics(results);
  if (mean_reward !== null && successes < graded) return 1 + mean_reward;
  if (results.some(({ status }) => status === 'interrupted' || status === 'cancelled')) return 3;
  if (runs.some(({ running }) => running)) return 4;
  return results.length < runs.length ? 5 : 6;
}

function presentCell({ planned, result, running }: JobRunState): JobCell {
  const verdict =
    running || result === null
      ? { kind: running ? ('running' as const) : ('none' as const), text: '', spoken: running ? 'running' : 'waits' }
      : verdictOf(result);
  const facts =
    running || result === null || result.trace_dir === null
      ? []
      : [plural(result.steps, 'step'), `${(result.duration_ms / 1000).toFixed(1)} s`];
  const why = !running && result?.error ? [result.error.message.split('\n')[0] ?? ''] : [];
  const short =
    verdict.kind === 'error'
      ? 'error'
      : verdict.kind === 'ungraded'
        ? '–'
        : verdict.kind === 'cancelled'
          ? 'stop'
          : verdict.text;
  return {
    runId: planned.run_id,
    outcome: OUTCOMES[verdict.kind],
    text: short,
    spoken: [verdict.spoken, ...facts, ...why].join(', '),
    opens: running || (result !== null && result.trace_dir !== null),
  };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
