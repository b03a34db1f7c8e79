import type { Rescored } from '../../runs/rescoring/rescorer.ts';
import type { RunEntry } from '../../runs/store/store.ts';
import { printCall } from '../../tasks/print.ts';
import { agentLabel } from '../runs/agents.ts';
import { age, formatReward } from '../runs/verdict.ts';
import type { Change, ChangedValue, RescoredRunRow } from './messages.ts';

/** A run judged again, as a row. `now`: in milliseconds since 1970. */
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

/** A run that cannot be read. */
export function presentUnread(message: string, entry: RunEntry, now: number): RescoredRunRow {
  return { ...about(entry, now), ...changed(entry.run.reward, null), problem: message, turns: '', calls: [] };
}

/** `3 of 40 changed: 2 up, 1 down; 1 cannot be decided from its recording`. */
export function summaryOf(rows: readonly Pick<RescoredRunRow, 'change'>[], total = rows.length): string {
  const count = (change: Change): number => rows.filter((row) => row.change === change).length;
  const [up, down, fresh, unknown] = [count('up'), count('down'), count('new'), count('unknown')];
  const ways = [up > 0 ? `${up} up` : '', down > 0 ? `${down} down` : '', fresh > 0 ? `${fresh} new` : ''];
  const said = ways.filter((way) => way !== '').join(', ');
  const changes = `${up + down + fresh} of ${total} changed${said === '' ? '' : `: ${said}`}`;
  return unknown === 0
    ? changes
    : `${changes}; ${unknown} cannot be decided from ${unknown === 1 ? 'its recording' : 'their recordings'}`;
}

/** What changed first, then what cannot be decided, then the rest, each as it came. */
export function inOrder(rows: readonly RescoredRunRow[]): readonly RescoredRunRow[] {
  const rank = ({ change }: RescoredRunRow): number => (change === 'same' ? 2 : change === 'unknown' ? 1 : 0);
  return rows.toSorted((a, b) => rank(a) - rank(b));
}

export function changed(old: number | null, now: number | null): ChangedValue {
  const change: Change =
    now === null ? 'unknown' : old === null ? 'new' : Math.abs(now - old) <= 1e-9 ? 'same' : now > old ? 'up' : 'down';
  return { old: shown(old), new: shown(now), change };
}

/** `0.00, from step 3 on 0.50, from step 5 on 1.00`: steps are counted from 1, as the panel does. */
function turns(steps: NonNullable<Rescored['steps']>): string {
  const said: string[] = [];
  let before: string | null = null;
  for (const { index, reward } of steps) {
    const value = shown(reward);
    if (value !== before) said.push(before === null ? value : `from step ${index + 1} on ${value}`);
    before = value;
  }
  return said.join(', ');
}

function about({ traceDir, run, agent }: RunEntry, now: number): Pick<RescoredRunRow, 'traceDir' | 'task' | 'about'> {
  const when = age(Date.parse(run.started_at), now);
  return { traceDir, task: run.task_id, about: `${agentLabel(agent, run.task_id)} · ${when}` };
}

function shown(value: number | null): string {
  return value === null ? '–' : formatReward(value);
}
