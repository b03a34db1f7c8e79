import type { Step } from '../../runs/store/trace.ts';
import type { Position, Range } from '../../tasks/range.ts';
import type { Call } from '../../tasks/task.ts';

/** Which call of a task: the `ordinal`-th of its setup or evaluate calls, from 0. */
export interface CallPosition {
  readonly source: 'setup' | 'evaluate';
  readonly ordinal: number;
}

/** How a call went, as the end of its line says it. */
export interface Outcome {
  readonly kind: 'passed' | 'partial' | 'failed' | 'error';
  /** `✓ 84 ms`, `✗ 0`. */
  readonly mark: string;
  /** Why; empty where there is nothing to say. */
  readonly reason: string;
}

/** One change of a text: what stood at `range` became `text`. */
export interface Edit {
  readonly range: Range;
  readonly text: string;
}

/**
 * Where a span of text is after an edit, or null where the edit was in it. An insertion right before or right after
 * it does not touch it.
 */
export function afterEdit(range: Range, edit: Edit): Range | null {
  if (isBefore(edit.range.end, range.start) || isSame(edit.range.end, range.start)) {
    return { start: moved(range.start, edit), end: moved(range.end, edit) };
  }
  if (isBefore(range.end, edit.range.start) || isSame(range.end, edit.range.start)) return range;
  return null;
}

function moved(position: Position, { range, text }: Edit): Position {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.at(-1) ?? '';
  const line = position.line - (range.end.line - range.start.line) + lines.length - 1;
  if (position.line !== range.end.line) return { line, character: position.character };
  const before = lines.length === 1 ? range.start.character : 0;
  return { line, character: before + last.length + position.character - range.end.character };
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}

function isSame(a: Position, b: Position): boolean {
  return a.line === b.line && a.character === b.character;
}

export function contains(range: Range, position: Position): boolean {
  return !isBefore(position, range.start) && !isBefore(range.end, position);
}

/**
 * Finds the calls that a run made in the task as it is written now: the same function with the same arguments.
 * A call that stands where it stood is itself; the others are taken in their order. Null: it is not there any more.
 */
export function matchCalls(ran: readonly Call[], now: readonly Call[]): readonly (Range | null)[] {
  const left = new Set(now.keys());
  const found = ran.map((call, index): number | undefined => {
    const same = now[index];
    if (same === undefined || !isSameCall(call, same)) return undefined;
    left.delete(index);
    return index;
  });
  return ran.map((call, index) => {
    let at = found[index];
    if (at === undefined) {
      at = [...left].find((candidate) => {
        const other = now[candidate];
        return other !== undefined && isSameCall(call, other);
      });
      if (at !== undefined) left.delete(at);
    }
    return at === undefined ? null : (now[at]?.range ?? null);
  });
}

/** Whether two calls ask the same, wherever they stand. */
export function isSameCall(a: Call, b: Call): boolean {
  return a.function === b.function && isSameText(JSON.stringify(a.args), JSON.stringify(b.args));
}

/** What stands for a secret in a run that was masked may have been anything. */
const MASKED = /<secret>[^<]*<\/secret>|\*{2,}/;

function isSameText(ran: string, now: string): boolean {
  if (ran === now || !MASKED.test(ran)) return ran === now;
  const [first = '', ...rest] = ran.split(MASKED);
  if (!now.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest.slice(0, -1)) {
    const at = now.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  const last = rest.at(-1) ?? '';
  return now.endsWith(last) && now.length - last.length >= from;
}

/** Which call each step carried out; undefined for steps of the agent and the system. */
export function callPositions(steps: readonly Step[]): readonly (CallPosition | undefined)[] {
  const next = { setup: 0, evaluate: 0 };
  return steps.map(({ source }) =>
    source === 'setup' || source === 'evaluate' ? { source, ordinal: next[source]++ } : undefined,
  );
}

export function outcomeOf(step: Step): Outcome {
  const reason = typeof step.info['reason'] === 'string' ? step.info['reason'] : '';
  if (step.error !== null) return { kind: 'error', mark: '✗', reason: step.error.message };
  if (step.source === 'setup') return { kind: 'passed', mark: `✓ ${Math.round(step.duration_ms)} ms`, reason: '' };
  const value = step.reward;
  if (value === null) return { kind: 'error', mark: '✗', reason: reason === '' ? 'no value' : reason };
  // Nobody needs to be told why a call is satisfied; the reason stays in the hover.
  if (value >= 1 - 1e-9) return { kind: 'passed', mark: '✓ 1', reason };
  if (value <= 0) return { kind: 'failed', mark: '✗ 0', reason };
  return { kind: 'partial', mark: `◐ ${Number(value.toPrecision(3))}`, reason };
}

/** What stands at the end of the line: the mark, and the reason where the call was not satisfied. */
export function lineText({ kind, mark, reason }: Outcome): string {
  if (kind === 'passed' || reason === '') return mark;
  const short = reason.replace(/\s+/g, ' ').trim();
  return `${mark}  ${short.length > 140 ? `${short.slice(0, 139)}…` : short}`;
}

/** The line that carries a call's value: the one with the function's name, where the call is spread over several. */
export function valueLine(range: Range, functionName: string, lineAt: (line: number) => string): number {
  for (let line = range.start.line; line <= range.end.line; line += 1) {
    if (lineAt(line).includes(functionName)) return line;
  }
  return range.start.line;
}
