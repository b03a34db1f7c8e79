import * as l10n from '@vscode/l10n';
import { isBefore, type Position, type Range } from '../../base/range.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { formatReward, isSuccess } from '../../results/reward.ts';
import { isSameCall } from '../../tasks/same-call.ts';
import type { Call } from '../../tasks/task.ts';
import type { Step } from '../../traces/trace.ts';

/** Identifies a call of a task by its zero-based index among the setup or evaluate calls. */
export interface CallPosition {
  readonly source: 'setup' | 'evaluate';
  readonly ordinal: number;
}

/** The outcome of a call, as its inline value shows it. */
export interface Outcome {
  readonly kind: 'passed' | 'partial' | 'failed' | 'error';
  /** `✓ 84 ms`, `✗`, `◐ 0.67`. */
  readonly mark: string;
  /** Empty if there is none. */
  readonly reason: string;
}

/** One change of a text: `text` replaced the content of `range`. */
export interface Edit {
  readonly range: Range;
  readonly text: string;
}

/** The range after an edit, or null if the edit changed its content. An insertion at either end does not. */
export function afterEdit(range: Range, edit: Edit): Range | null {
  if (!isBefore(range.start, edit.range.end)) {
    return { start: movePosition(range.start, edit), end: movePosition(range.end, edit) };
  }
  return isBefore(edit.range.start, range.end) ? null : range;
}

function movePosition(position: Position, { range, text }: Edit): Position {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.at(-1) ?? '';
  const line = position.line - (range.end.line - range.start.line) + lines.length - 1;
  if (position.line !== range.end.line) return { line, character: position.character };
  const before = lines.length === 1 ? range.start.character : 0;
  return { line, character: before + last.length + position.character - range.end.character };
}

export function contains(range: Range, position: Position): boolean {
  return !isBefore(position, range.start) && !isBefore(range.end, position);
}

/**
 * Finds the calls of a run in the current task: the same function with the same arguments. A call at the same index
 * matches first; the others match in order. Null if a call no longer exists.
 */
export function matchCalls(recordedCalls: readonly Call[], now: readonly Call[]): readonly (Range | null)[] {
  const unmatched = new Map(now.entries());
  const take = (call: Call, indexes: Iterable<number>): Range | null => {
    for (const index of indexes) {
      const candidate = unmatched.get(index);
      if (candidate === undefined || !isSameCall(call, candidate)) continue;
      unmatched.delete(index);
      return candidate.range;
    }
    return null;
  };
  const sameIndex = recordedCalls.map((call, index) => take(call, [index]));
  return recordedCalls.map((call, index) => sameIndex[index] ?? take(call, unmatched.keys()));
}

/** The call of each step; undefined for steps of the agent and the system. */
export function callPositions(steps: readonly Step[]): readonly (CallPosition | undefined)[] {
  const next = { setup: 0, evaluate: 0 };
  return steps.map(({ source }) =>
    source === 'setup' || source === 'evaluate' ? { source, ordinal: next[source]++ } : undefined,
  );
}

export function outcomeOf(step: Step): Outcome {
  const reason = typeof step.info['reason'] === 'string' ? withoutCodeMarks(step.info['reason']) : '';
  if (step.error !== null) return { kind: 'error', mark: '✗', reason: withoutCodeMarks(step.error.message) };
  if (step.source === 'setup') return { kind: 'passed', mark: `✓ ${Math.round(step.duration_ms)} ms`, reason: '' };
  const value = step.reward;
  if (value === null) return { kind: 'error', mark: '✗', reason: reason === '' ? l10n.t('no value') : reason };
  // The line of a passed call omits the reason; its hover has it.
  if (isSuccess(value)) return { kind: 'passed', mark: '✓', reason };
  if (value <= 0) return { kind: 'failed', mark: '✗', reason };
  return { kind: 'partial', mark: `◐ ${formatReward(value)}`, reason };
}

/** The inline value: the mark, and the reason if the call did not pass. */
export function lineText({ kind, mark, reason }: Outcome): string {
  if (kind === 'passed' || reason === '') return mark;
  const short = reason.replace(/\s+/g, ' ').trim();
  return `${mark} ${short.length > 140 ? `${short.slice(0, 139)}…` : short}`;
}

/** The line for a call's value: of a call on several lines the one with the function's name. */
export function valueLine(range: Range, functionName: string, lineAt: (line: number) => string): number {
  for (let line = range.start.line; line <= range.end.line; line += 1) {
    if (lineAt(line).includes(functionName)) return line;
  }
  return range.start.line;
}
