import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { progressByHost } from '../../results/by-host.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { figuresOf, headlineOf } from '../../results/figures.ts';
import { formatRelative, relativeRewards } from '../../results/group-relative.ts';
import { formatReward } from '../../results/reward.ts';
import { jobStatistics } from '../../results/statistics.ts';
import { statusWord } from '../../results/status.ts';
import type { PlannedRun } from '../../traces/job-file.ts';
import type { Run } from '../../traces/trace.ts';
import { agentLabel } from '../labels.ts';
import { hostName } from '../placement/format.ts';
import { plural } from '../plural.ts';
import { type VerdictKind, verdictOf } from '../runs/verdict.ts';
import { taskCount } from '../tasks/model.ts';
import type { CellOutcome, JobCell, JobHead, JobRow } from './messages.ts';

/** A run of a job in its current state. */
export interface JobRunState {
  readonly planned: PlannedRun;
  /** Null before its end. */
  readonly result: Run | null;
  /** The reasons of its calls; see `reasonsOf`. */
  readonly reasons: string;
  readonly running: boolean;
  /** The host of a run in progress, if there are several and it is known. */
  readonly host?: string | null;
}

/** A job that the views show, in progress or read from disk. */
export interface JobState {
  readonly folder: string;
  readonly startedAt: string;
  readonly status: JobHead['status'];
  readonly endedAt: number | null;
  readonly runs: readonly JobRunState[];
  /** Number of runs in parallel; null for a job read from disk. */
  readonly concurrency: number | null;
}

/** Maximum number of hosts whose progress is shown. */
const MAX_HOSTS = 12;

/** Maximum number of repeats in a row. */
export const MAX_CELLS = 20;

const OUTCOMES: Record<VerdictKind, CellOutcome> = {
  none: 'waiting',
  running: 'running',
  paused: 'running',
  passed: 'pass',
  partial: 'partial',
  failed: 'fail',
  ungraded: 'none',
  error: 'error',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
};

/** The figures and the progress of a job. */
export function presentHead(job: JobState): JobHead {
  const results = job.runs.flatMap(({ result }) => (result === null ? [] : [result]));
  const statistics = jobStatistics(results);
  const ended = results.filter(({ status }) => status !== 'interrupted').length;
  const tasks = new Set(job.runs.map(({ planned }) => planned.group_id)).size;
  const repeats = Math.max(0, ...groupsOf(job).map((runs) => runs.length));
  const agents = [...new Set(job.runs.flatMap(({ planned }) => labelOf(planned)))];
  const places = [...new Set(job.runs.map(({ planned }) => planned.placement))];
  const chips = [places.join(', '), agents.length > 2 ? l10n.t('{0} agents', agents.length) : agents.join(', ')];
  chips.push(...hostChips(job));
  if (job.concurrency !== null) chips.push(l10n.t('{0} in parallel', job.concurrency));
  return {
    folder: job.folder,
    title: repeats > 1 ? `${taskCount(tasks)} × ${repeats}` : taskCount(tasks),
    status: job.status,
    startedAt: job.startedAt,
    durationMs: job.endedAt === null ? null : Math.max(0, job.endedAt - Date.parse(job.startedAt)),
    total: job.runs.length,
    ended,
    running: job.runs.filter(({ running }) => running).length,
    headline: headlineOf(statistics),
    figures: statistics.runs < 2 ? [] : figuresOf(statistics),
    chips: chips.filter((chip) => chip !== ''),
  };
}

/** The progress on each host, if the job runs on several. */
function hostChips({ runs }: JobState): string[] {
  const begun = runs.filter(({ running, result }) => running || result !== null);
  const hosts = progressByHost(
    begun.map(({ running, host, result }) => ({ running, host: running ? host : result?.host })),
  );
  if (hosts.length > MAX_HOSTS) return [l10n.t('{0} hosts', hosts.length)];
  return hosts.map(({ host, running, ended }) => {
    const name = hostName(host);
    return running === 0
      ? l10n.t('{0}: {1} ended', name, ended)
      : l10n.t('{0}: {1} running, {2} ended', name, running, ended);
  });
}

function labelOf({ agent, task_id }: PlannedRun): string[] {
  return agent === null ? [] : [agentLabel(agent, task_id)];
}

/** The rows of the grid in the order of the plan. `sortRank` is their display order. */
export function presentRows(job: JobState): readonly JobRow[] {
  const rows: JobRow[] = [];
  const relative = relativeRewards(job.runs.flatMap(({ result }) => (result === null ? [] : [result])));
  for (const runs of groupsOf(job)) {
    for (let first = 0; first < runs.length; first += MAX_CELLS) {
      rows.push(presentRow(runs.slice(first, first + MAX_CELLS), first + 1, rows.length, relative));
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

function presentRow(
  runs: readonly JobRunState[],
  first: number,
  place: number,
  relative: ReadonlyMap<Run, number>,
): JobRow {
  const { group_id = '', task_id = '', file = '' } = runs[0]?.planned ?? {};
  const results = runs.flatMap(({ result }) => (result === null ? [] : [result]));
  const { mean_reward, std_reward, graded, runs: counted } = jobStatistics(results);
  const spread = std_reward === null || graded === 1 ? '' : ` ± ${std_reward.toFixed(2)}`;
  const mean = `${formatReward(mean_reward)}${spread}`;
  const summary = graded < counted ? l10n.t('{0} of {1} graded', mean, graded) : mean;
  return {
    key: `${group_id} ${first}`,
    place,
    sortRank: rankOf(runs),
    task: task_id,
    title: `${basename(file)}#${task_id}`,
    first,
    summary: mean_reward === null ? '' : summary,
    cells: runs.map((run) => presentCell(run, relative)),
  };
}

/** Rows with an error first, then those with failures by mean reward, then those in progress. */
function rankOf(runs: readonly JobRunState[]): number {
  const results = runs.flatMap(({ result }) => (result === null ? [] : [result]));
  if (results.some(({ status, reward }) => status === 'error' || (status === 'completed' && reward === null))) return 0;
  const { mean_reward, successes, runs: counted } = jobStatistics(results);
  if (mean_reward !== null && successes < counted) return 1 + mean_reward;
  if (results.some(({ status }) => status === 'interrupted' || status === 'cancelled')) return 3;
  if (runs.some(({ running }) => running)) return 4;
  return results.length < runs.length ? 5 : 6;
}

function presentCell({ planned, result, reasons, running }: JobRunState, relative: ReadonlyMap<Run, number>): JobCell {
  const ended = running ? null : result;
  const relativeReward = ended === null ? undefined : relative.get(ended);
  const verdict =
    ended === null
      ? {
          kind: running ? ('running' as const) : ('none' as const),
          text: '',
          accessibleText: running ? l10n.t('running') : l10n.t('waiting'),
        }
      : verdictOf(ended);
  const isRecorded = ended !== null && ended.trace_dir !== null;
  const facts = isRecorded
    ? [
        plural(ended.steps, l10n.t('1 step'), l10n.t('{0} steps', ended.steps)),
        l10n.t('{0} s', (ended.duration_ms / 1000).toFixed(1)),
      ]
    : [];
  const errorLines = ended?.error ? [withoutCodeMarks(ended.error.message.split('\n')[0] ?? '')] : [];
  const short =
    verdict.kind === 'error'
      ? l10n.t('error')
      : verdict.kind === 'ungraded'
        ? '–'
        : verdict.kind === 'cancelled'
          ? statusWord('cancelled')
          : verdict.text;
  return {
    runId: planned.run_id,
    outcome: OUTCOMES[verdict.kind],
    text: short,
    accessibleText: [verdict.accessibleText, ...facts, ...errorLines].join(', '),
    relative: relativeReward === undefined ? null : formatRelative(relativeReward),
    steps: isRecorded ? ended.steps : null,
    durationMs: isRecorded ? ended.duration_ms : null,
    reasons: ended === null ? '' : reasons,
    canOpen: running || isRecorded,
  };
}
