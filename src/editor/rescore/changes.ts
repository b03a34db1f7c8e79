import type { Rescored } from '../../runs/rescoring/rescorer.ts';
import type { Range } from '../../tasks/range.ts';
import { formatReward } from '../runs/verdict.ts';
import { changed } from './present.ts';

/** How re-scoring the runs of a task changes one of its evaluate calls. */
export interface CallChanges {
  readonly range: Range;
  readonly function: string;
  /** The inline value: `0.00 → 1.00, 3 of 40 changed`. */
  readonly text: string;
  readonly kind: 'changed' | 'unchanged' | 'undecided';
  /** Why it cannot be decided, or the reason of the newest run. */
  readonly reason: string;
}

/** The changes for all runs of one task. `results`: newest first. */
export function changesOf(results: readonly Rescored[]): readonly CallChanges[] {
  const judged = results.filter(({ problem }) => problem === null);
  return (judged[0]?.calls ?? []).map(({ call }, ordinal): CallChanges => {
    const values = judged.flatMap(({ calls }) => calls[ordinal] ?? []);
    const others = values.filter((one) => !['same', 'unknown'].includes(changed(one.old, one.new).change));
    const undecided = values.filter((one) => one.new === null);
    const [first] = others;
    const said: string[] = [];
    if (first !== undefined) {
      said.push(`${shown(first.old)} → ${shown(first.new)}`, `${others.length} of ${values.length} changed`);
    } else if (undecided.length < values.length) {
      const decided = values.find((one) => one.new !== null);
      said.push(`${shown(decided?.new ?? null)}`, `none of ${values.length} changed`);
    }
    if (undecided.length > 0) said.push(`${undecided.length} of ${values.length} cannot be decided`);
    return {
      range: call.range,
      function: call.function,
      text: said.join(', '),
      kind: first !== undefined ? 'changed' : undecided.length > 0 ? 'undecided' : 'unchanged',
      reason: (first ?? undecided[0] ?? values[0])?.reason ?? '',
    };
  });
}

function shown(value: number | null): string {
  return value === null ? '–' : formatReward(value);
}
