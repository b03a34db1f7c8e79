import * as l10n from '@vscode/l10n';
import type { Rescored } from '../../runs/rescoring/rescorer.ts';
import type { RunEntry } from '../../runs/store/store.ts';
import { printCall } from '../../tasks/print.ts';
import { plural } from '../plural.ts';
import { agentLabel } from '../runs/agents.ts';
import { age, formatReward } from '../runs/verdict.ts';
import type { Change, ChangedValue, RescoredRunRow } from './messages.ts';

/** The row of a re-scored run. `now`: in milliseconds since 1970. */
export function presentRescored(
  { old, new: value, calls, steps, problem }: Rescored,
  entry: RunEntry,
  now: number,
): RescoredRunRow {
  return {
    ...about(entry, now),
    ...changed(old, value),
    problem,
    turns: steps === null ? '' : turns(steps),
    calls: calls.map((one) => ({
      text: printCall(one.call),
      reason: one.reason,
      range: one.call.range,
      ...changed(one.old, one.new),
    })),
  };
}

/** The row of a run that cannot be read. */
export function presentUnread(message: string, entry: RunEntry, now: number): RescoredRunRow {
  return { ...about(entry, now), ...changed(entry.run.reward, null), problem: message, turns: '', calls: [] };
}

/** `3 of 40 changed: 2 up, 1 down; 1 cannot be decided from its recording`. */
export function summaryOf(rows: readonly Pick<RescoredRunRow, 'change'>[], total = rows.length): string {
  const count = (change: Change): number => rows.filter((row) => row.change === change).length;
  const [up, down, fresh, unknown] = [count('up'), count('down'), count('new'), count('unknown')];
  const directions = [
    up > 0 ? l10n.t('{0} up', up) : '',
    down > 0 ? l10n.t('{0} down', down) : '',
    fresh > 0 ? l10n.t('{0} new', fresh) : '',
  ].filter((part) => part !== '');
  const all = l10n.t('{0} of {1} changed', up + down + fresh, total);
  const changes = directions.length === 0 ? all : `${all}: ${directions.join(', ')}`;
  if (unknown === 0) return changes;
  return `${changes}; ${plural(
    unknown,
    l10n.t('1 cannot be decided from its recording'),
    l10n.t('{0} cannot be decided from their recordings', unknown),
  )}`;
}

/** Changed runs first, then undecided ones, then the rest. */
export function inOrder(rows: readonly RescoredRunRow[]): readonly RescoredRunRow[] {
  const rank = ({ change }: RescoredRunRow): number => (change === 'same' ? 2 : change === 'unknown' ? 1 : 0);
  return rows.toSorted((a, b) => rank(a) - rank(b));
}

export function changed(old: number | null, now: number | null): ChangedValue {
  const change: Change =
    now === null ? 'unknown' : old === null ? 'new' : Math.abs(now - old) <= 1e-9 ? 'same' : now > old ? 'up' : 'down';
  return { old: shown(old), new: shown(now), change };
}

/** `0.00, from step 3: 0.50, from step 5: 1.00`, with one-based steps as in the panel. */
function turns(steps: NonNullable<Rescored['steps']>): string {
  const parts: string[] = [];
  let before: string | null = null;
  for (const { index, reward } of steps) {
    const value = shown(reward);
    if (value !== before) parts.push(before === null ? value : l10n.t('from step {0}: {1}', index + 1, value));
    before = value;
  }
  return parts.join(', ');
}

function about({ traceDir, run, agent }: RunEntry, now: number): Pick<RescoredRunRow, 'traceDir' | 'task' | 'about'> {
  const when = age(Date.parse(run.started_at), now);
  return { traceDir, task: run.task_id, about: `${agentLabel(agent, run.task_id)} · ${when}` };
}

function shown(value: number | null): string {
  return value === null ? '–' : formatReward(value);
}
