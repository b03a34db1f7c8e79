import * as l10n from '@vscode/l10n';
import type { Rescored } from '../../runs/rescoring/rescorer.ts';
import { printCall } from '../../tasks/print.ts';
import { changed } from '../rescore/present.ts';
import { formatReward } from '../runs/verdict.ts';
import type { TestOutcome } from './outcome.ts';

/** The result of a re-scored run with a message for each call whose new value is below 1. */
export function rescoredOutcome({ old, new: now, calls, problem }: Rescored, file: string): TestOutcome {
  const { old: before, new: after } = changed(old, now);
  const summary = problem ?? l10n.t('reward {0} → {1}', before, after);
  const messages = calls.flatMap((one) => {
    if (one.new !== null && one.new >= 1 - 1e-9) return [];
    const value = one.new === null ? l10n.t('cannot be decided') : formatReward(one.new);
    return [{ text: `${printCall(one.call)}: ${value}, ${one.reason}`, file, range: one.call.range, compared: null }];
  });
  if (now === null) {
    const why = problem === null ? messages.map(({ text }) => `\r\n  ${text}`).join('') : '';
    return { kind: 'skipped', summary: `${summary}${why}`, messages: [] };
  }
  return now >= 1 - 1e-9 ? { kind: 'passed', summary, messages: [] } : { kind: 'failed', summary, messages };
}
