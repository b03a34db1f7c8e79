import * as l10n from '@vscode/l10n';
import { changeOfCall, changeOfRun } from '../../results/rescore-change.ts';
import { formatReward } from '../../results/reward.ts';
import type { Rescored } from '../../runs/rescoring/rescorer.ts';
import { printCall } from '../../tasks/print.ts';
import type { RunEntry } from '../../traces/store.ts';
import { agentLabel } from '../labels.ts';
import { age } from '../runs/verdict.ts';
import type { Change, RescoredRunRow } from './messages.ts';

/** The row of a re-scored run. `now`: in milliseconds since 1970. */
export function presentRescored(run: Rescored, entry: RunEntry, now: number): RescoredRunRow {
  const { old, new: value, calls, steps, problem } = run;
  return {
    ...describeRun(entry, now),
    ...formatValues(old, value, changeOfRun(run)),
    problem,
    turns: steps === null ? '' : turns(steps),
    calls: calls.map((one) => ({
      text: printCall(one.call),
      reason: one.reason,
      range: one.call.range,
      ...formatValues(one.old, one.new, changeOfCall(one)),
    })),
  };
}

/** The row of a run that cannot be read. */
export function presentUnread(message: string, entry: RunEntry, now: number): RescoredRunRow {
  return {
    ...describeRun(entry, now),
    ...formatValues(entry.run.reward, null, 'unknown'),
    problem: message,
    turns: '',
    calls: [],
  };
}

/** Changed runs first, then those with errors, then those that cannot be re-scored, then the rest. */
export function inOrder(rows: readonly RescoredRunRow[]): readonly RescoredRunRow[] {
  const rank = ({ change }: RescoredRunRow): number => ['error', 'unknown', 'same'].indexOf(change);
  return rows.toSorted((a, b) => rank(a) - rank(b));
}

function formatValues(old: number | null, now: number | null, change: Change) {
  return { old: formatReward(old), new: change === 'error' ? l10n.t('error') : formatReward(now), change };
}

/** `0.00, from step 3: 0.50, from step 5: 1.00`: the reward after setup, and the agent steps that change it. */
function turns(steps: NonNullable<Rescored['steps']>): string {
  const parts: string[] = [];
  let before: string | null = null;
  for (const [at, { agentSteps, reward }] of steps.entries()) {
    // Of several lines with the same number, such as setup calls, the last one counts.
    if (steps[at + 1]?.agentSteps === agentSteps) continue;
    const value = formatReward(reward);
    if (value !== before) parts.push(before === null ? value : l10n.t('from step {0}: {1}', agentSteps, value));
    before = value;
  }
  return parts.join(', ');
}

function describeRun({ traceDir, run, agent }: RunEntry, now: number) {
  const ageText = age(Date.parse(run.started_at), now);
  return { traceDir, task: run.task_id, description: `${agentLabel(agent, run.task_id)} · ${ageText}` };
}
