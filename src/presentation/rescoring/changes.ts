import * as l10n from '@vscode/l10n';
import type { Range } from '../../base/range.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { type Change, changeOfCall } from '../../results/rescore-change.ts';
import { formatReward } from '../../results/reward.ts';
import type { Rescored } from '../../runs/rescoring/rescorer.ts';

/** How re-scoring the runs of a task changes one of its evaluate calls. */
export interface CallChanges {
  readonly range: Range;
  readonly function: string;
  /** The inline value: `0.00 → 1.00, 3 of 40 changed`. */
  readonly text: string;
  readonly kind: 'changed' | 'unchanged' | 'undecided';
  /** Why it failed or cannot be re-scored, or the reason of the newest run. */
  readonly reason: string;
}

/** The changes for all runs of one task. `results`: newest first. */
export function changesOf(results: readonly Rescored[]): readonly CallChanges[] {
  const successful = results.filter(({ problem }) => problem === null);
  return (successful[0]?.calls ?? []).map(({ call }, ordinal): CallChanges => {
    const values = successful.flatMap(({ calls }) => calls[ordinal] ?? []);
    const withChange = (...changes: readonly Change[]) => values.filter((one) => changes.includes(changeOfCall(one)));
    const changes = withChange('up', 'down', 'new');
    const errors = withChange('error');
    const unknown = withChange('unknown');
    const [first] = changes;
    const parts: string[] = [];
    if (first !== undefined) {
      parts.push(
        `${formatReward(first.old)} → ${formatReward(first.new)}`,
        l10n.t('{0} of {1} changed', changes.length, values.length),
      );
    } else if (errors.length + unknown.length < values.length) {
      const newValue = values.find((one) => one.new !== null)?.new ?? null;
      parts.push(formatReward(newValue), l10n.t('none of {0} changed', values.length));
    }
    if (errors.length > 0) parts.push(l10n.t('{0} of {1} failed', errors.length, values.length));
    if (unknown.length > 0) parts.push(l10n.t('{0} of {1} cannot be re-scored', unknown.length, values.length));
    return {
      range: call.range,
      function: call.function,
      text: parts.join(', '),
      kind: first !== undefined ? 'changed' : errors.length + unknown.length > 0 ? 'undecided' : 'unchanged',
      reason: withoutCodeMarks((first ?? errors[0] ?? unknown[0] ?? values[0])?.reason ?? ''),
    };
  });
}
