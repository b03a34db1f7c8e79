import * as l10n from '@vscode/l10n';
import type { TestOutcome } from '../../presentation/tests/outcome.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { changeOfCall, changeOfRun } from '../../results/rescore-change.ts';
import { formatReward, isSuccess } from '../../results/reward.ts';
import type { Rescored } from '../../runs/rescoring/rescorer.ts';
import { printCall } from '../../tasks/print.ts';

/** The result of a re-scored run with a message for each call whose new value is below 1. */
export function rescoredOutcome(result: Rescored, file: string): TestOutcome {
  const { old, new: now, calls, problem } = result;
  const kind = changeOfRun(result);
  const after = kind === 'error' ? l10n.t('error') : formatReward(now);
  const summary = problem === null ? l10n.t('reward {0} → {1}', formatReward(old), after) : withoutCodeMarks(problem);
  const messages = calls.flatMap((one) => {
    if (isSuccess(one.new)) return [];
    const change = changeOfCall(one);
    const value =
      change === 'error'
        ? l10n.t('error')
        : change === 'unknown'
          ? l10n.t('cannot be re-scored')
          : formatReward(one.new);
    const text = `${printCall(one.call)}: ${value}, ${withoutCodeMarks(one.reason)}`;
    return [{ text, file, range: one.call.range, compared: null }];
  });
  if (now === null) {
    const details = problem === null ? messages.map(({ text }) => `\r\n  ${text}`).join('') : '';
    return kind === 'error'
      ? { kind: 'errored', summary, messages }
      : { kind: 'skipped', summary: `${summary}${details}`, messages: [] };
  }
  return isSuccess(now) ? { kind: 'passed', summary, messages: [] } : { kind: 'failed', summary, messages };
}
