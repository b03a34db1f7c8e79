import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { groupBy } from '../../base/group-by.ts';
import { progressByHost } from '../../results/by-host.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { figuresOf, headlineOf } from '../../results/figures.ts';
import { formatRelative, relativeRewards } from '../../results/group-relative.ts';
import { formatReward } from '../../results/reward.ts';
import { jobStatistics } from '../../results/statistics.ts';
import { statusWord } from '../../results/status.ts';
import { selectorByName } from '../../tasks/address.ts';
import type { PlannedRun } from '../../traces/job-file.ts';
import type { Run } from '../../traces/trace.ts';
import { agentLabel } from '../labels.ts';
import { hostName } from '../placement/format.ts';
import { plural } from '../plural.ts';
import { type RunVerdict, type VerdictKind, verdictOf } from '../runs/verdict.ts';
import { taskCount } from '../tasks/model.ts';
import type { CellOutcome, JobCell, JobHead, JobRow } from './messages.ts';

/** A run of a job in its current state. */
export interface JobRunState {
  readonly plannedRun: PlannedRun;
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
  const results = resultsOf(job.runs);
  const statistics = jobStatistics(results);
  const groups = groupsOf(job);
  const tasks = taskCount(groups.length);
  const repeats = Math.max(0, ...groups.map((runs) => runs.length));
  const plan = job.runs.map(({ plannedRun }) => plannedRun);
  const agents = new Set(plan.flatMap(({ agent, task_id }) => (agent === null ? [] : agentLabel(agent, task_id))));
  const placements = new Set(plan.map(({ placement }) => placement));
  const chips = [
    [...placements].join(', '),
    agents.size > 2 ? l10n.t('{0} agents', agents.size) : [...agents].join(', '),
    ...hostChips(job),
    job.concurrency === null ? '' : l10n.t('{0} in parallel', job.concurrency),
  ];
  return {
    folder: job.folder,
    title: repeats > 1 ? `${tasks} × ${repeats}` : tasks,
    status: job.status,
    startedAt: job.startedAt,
    durationMs: job.endedAt === null ? null : Math.max(0, job.endedAt - Date.parse(job.startedAt)),
    total: job.runs.length,
    ended: results.filter(({ status }) => status !== 'interrupted').length,
    running: job.runs.filter(({ running }) => running).length,
    headline: headlineOf(statistics),
    figures: statistics.runs < 2 ? [] : figuresOf(statistics),
    chips: chips.filter((chip) => chip !== ''),
  };
}

/** The progress on each host, if the job runs on several. */
function hostChips({ runs }: JobState): string[] {
  const startedRuns = runs.filter(({ running, result }) => running || result !== null);
  const hosts = progressByHost(
    startedRuns.map(({ running, host, result }) => ({ running, host: running ? host : result?.host })),
  );
  if (hosts.length > MAX_HOSTS) return [l10n.t('{0} hosts', hosts.length)];
  return hosts.map(({ host, running, ended }) => {
    const name = hostName(host);
    return running === 0
      ? l10n.t('{0}: {1} ended', name, ended)
      : l10n.t('{0}: {1} running, {2} ended', name, running, ended);
  });
}

/** The rows of the grid in the order of the plan. `sortRank` is their display order. */
export function presentRows(job: JobState): readonly JobRow[] {
  const rows: JobRow[] = [];
  const relative = relativeRewards(resultsOf(job.runs));
  for (const runs of groupsOf(job)) {
    for (let first = 0; first < runs.length; first += MAX_CELLS) {
      rows.push(presentRow(runs.slice(first, first + MAX_CELLS), first + 1, rows.length, relative));
    }
  }
  return rows;
}

/** The runs of a job by task. */
export function groupsOf({ runs }: Pick<JobState, 'runs'>): readonly (readonly JobRunState[])[] {
  return [...groupBy(runs, ({ plannedRun }) => plannedRun.group_id).values()];
}

/** The results of the runs that have one. */
export function resultsOf(runs: readonly JobRunState[]): readonly Run[] {
  return runs.flatMap(({ result }) => result ?? []);
}

function presentRow(
  runs: readonly JobRunState[],
  first: number,
  place: number,
  relative: ReadonlyMap<Run, number>,
): JobRow {
  const { group_id = '', task_id = '', file = '', index = 0 } = runs[0]?.plannedRun ?? {};
  const results = resultsOf(runs);
  const { mean_reward, std_reward, graded, runs: count } = jobStatistics(results);
  const spread = std_reward === null || graded === 1 ? '' : ` ± ${std_reward.toFixed(2)}`;
  const mean = `${formatReward(mean_reward)}${spread}`;
  const summary = graded < count ? l10n.t('{0} of {1} graded', mean, graded) : mean;
  return {
    key: `${group_id} ${first}`,
    place,
    sortRank: rankOf(runs),
    task: task_id,
    title: `${basename(file)}#${selectorByName(task_id, index)}`,
    first,
    summary: mean_reward === null ? '' : summary,
    cells: runs.map((run) => presentCell(run, relative)),
  };
}

/** Rows with an error first, then those with failures by mean reward, then those in progress. */
function rankOf(runs: readonly JobRunState[]): number {
  const results = resultsOf(runs);
  if (results.some(({ status, reward }) => status === 'error' || (status === 'completed' && reward === null))) return 0;
  const { mean_reward, successes, runs: count } = jobStatistics(results);
  if (mean_reward !== null && successes < count) return 1 + mean_reward;
  if (results.some(({ status }) => status === 'interrupted' || status === 'cancelled')) return 3;
  if (runs.some(({ running }) => running)) return 4;
  return results.length < runs.length ? 5 : 6;
}

function presentCell(run: JobRunState, relative: ReadonlyMap<Run, number>): JobCell {
  const { plannedRun, result, reasons, running } = run;
  const finalResult = running ? null : result;
  const verdict = finalResult === null ? verdictBeforeEnd(running) : verdictOf(finalResult);
  const relativeReward = finalResult === null ? undefined : relative.get(finalResult);
  const isRecorded = finalResult !== null && finalResult.trace_dir !== null;
  const facts = isRecorded
    ? [
        plural(finalResult.steps, l10n.t('1 step'), l10n.t('{0} steps', finalResult.steps)),
        l10n.t('{0} s', (finalResult.duration_ms / 1000).toFixed(1)),
      ]
    : [];
  const errorLines = finalResult?.error ? [withoutCodeMarks(finalResult.error.message.split('\n')[0] ?? '')] : [];
  const shortTexts: Partial<Record<VerdictKind, string>> = {
    error: l10n.t('error'),
    ungraded: '–',
    cancelled: statusWord('cancelled'),
  };
  return {
    runId: plannedRun.run_id,
    outcome: OUTCOMES[verdict.kind],
    text: shortTexts[verdict.kind] ?? verdict.text,
    accessibleText: [verdict.accessibleText, ...facts, ...errorLines].join(', '),
    relative: relativeReward === undefined ? null : formatRelative(relativeReward),
    steps: isRecorded ? finalResult.steps : null,
    durationMs: isRecorded ? finalResult.duration_ms : null,
    reasons: finalResult === null ? '' : reasons,
    canOpen: running || isRecorded,
  };
}

function verdictBeforeEnd(running: boolean): RunVerdict {
  return running
    ? { kind: 'running', text: '', accessibleText: l10n.t('running') }
    : { kind: 'none', text: '', accessibleText: l10n.t('waiting') };
}
