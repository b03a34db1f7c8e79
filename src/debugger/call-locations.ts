import type { Phase } from '../functions/declaration.ts';
import type { Position, Range } from '../tasks/range.ts';
import type { TaskFile, TaskRow } from '../tasks/rows.ts';
import type { Call, Task } from '../tasks/task.ts';

/** A setup or evaluate call and its position in a task. */
export interface LocatedCall {
  /** The task's id, or its index as a string. */
  readonly task: string;
  readonly phase: Phase;
  /** Index among the calls of its phase. */
  readonly index: number;
  readonly call: Call;
}

/**
 * The call that a breakpoint on a line refers to: the one around the column, else the first that begins on the line,
 * else the innermost one around the line, else the next one of the same task. Undefined if the task has no call from
 * there on.
 */
export function callAt(file: TaskFile, line: number, column: number | null): LocatedCall | undefined {
  const rows = rowsOn(file, line);
  const calls = rows.flatMap(callsOf);
  if (column !== null) {
    const at = { line, character: column };
    const around = calls.find(({ call }) => contains(call.range, at));
    if (around !== undefined) return around;
  }
  const beginning = calls.filter(({ call }) => call.range.start.line === line);
  if (column !== null) {
    const next = beginning.find(({ call }) => call.range.start.character >= column);
    if (next !== undefined) return next;
  }
  const [first] = beginning;
  if (first !== undefined) return first;
  const around = calls.filter(({ call }) => call.range.start.line < line && call.range.end.line >= line);
  const innermost = around.reduce<LocatedCall | undefined>(
    (best, one) => (best === undefined || isBefore(best.call.range.start, one.call.range.start) ? one : best),
    undefined,
  );
  return innermost ?? calls.find(({ call }) => call.range.start.line > line);
}

/** Every call that begins in these lines, in text order. */
export function callsBetween(file: TaskFile, first: number, last: number): readonly LocatedCall[] {
  return rowsBetween(file, first, last)
    .flatMap(callsOf)
    .filter(({ call: { range } }) => range.start.line >= first && range.start.line <= last);
}

/** The setup and evaluate calls of a row, in text order. */
function callsOf(row: TaskRow): LocatedCall[] {
  const { task } = row;
  if (task === null) return [];
  const of = (phase: Phase) =>
    task[phase].map((call, index): LocatedCall => ({ task: row.name, phase, index, call: { ...call } }));
  return [...of('setup'), ...of('evaluate')].sort((a, b) =>
    isBefore(a.call.range.start, b.call.range.start) ? -1 : isBefore(b.call.range.start, a.call.range.start) ? 1 : 0,
  );
}

/**
 * The call in the current version of the task that corresponds to a call of an earlier version: the one at the same
 * index if the number of calls is unchanged, else the n-th call of the same function. Undefined if there is none.
 */
export function currentCall(current: Task, before: Task, phase: Phase, index: number): Call | undefined {
  const [oldCalls, currentCalls] = [before[phase], current[phase]];
  if (oldCalls.length === currentCalls.length) return currentCalls[index];
  const name = oldCalls[index]?.function;
  const nth = oldCalls.slice(0, index).filter((call) => call.function === name).length;
  return currentCalls.filter((call) => call.function === name)[nth];
}

function rowsOn(file: TaskFile, line: number): readonly TaskRow[] {
  return rowsBetween(file, line, line);
}

/** Rows that overlap these lines. Binary search, because a file can have a hundred thousand rows. */
function rowsBetween({ rows }: TaskFile, first: number, last: number): readonly TaskRow[] {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as TaskRow).range.end.line < first) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < rows.length && (rows[end] as TaskRow).range.start.line <= last) end += 1;
  return rows.slice(low, end);
}

function contains({ start, end }: Range, at: Position): boolean {
  return !isBefore(at, start) && isBefore(at, end);
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}

/** The task with the ranges of its calls in the current version of the task, as far as they can be determined. */
export function withRangesOf(current: Task, task: Task): Task {
  const calls = (phase: 'setup' | 'evaluate'): Call[] =>
    task[phase].map((call, index) => ({ ...call, range: (currentCall(current, task, phase, index) ?? call).range }));
  return { ...task, range: current.range, setup: calls('setup'), evaluate: calls('evaluate') };
}
