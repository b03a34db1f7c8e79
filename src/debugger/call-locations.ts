import type { Phase } from '../functions/declaration.ts';
import type { Position, Range } from '../tasks/range.ts';
import type { TaskFile, TaskRow } from '../tasks/rows.ts';
import type { Call, Task } from '../tasks/task.ts';

/** A setup or evaluate call as it stands in a task file. */
export interface LocatedCall {
  /** The task's id, or its index as a string. */
  readonly task: string;
  readonly phase: Phase;
  /** Its place among the calls of its phase. */
  readonly index: number;
  readonly call: Call;
}

/**
 * The call that a breakpoint on a line means: the one around the column, else the first that begins on the line, else the
 * innermost around it, else the next of the same task. Undefined where the task has none from there on.
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

/** Every call that begins in these lines, in the order of the text. */
export function callsBetween(file: TaskFile, first: number, last: number): readonly LocatedCall[] {
  return rowsBetween(file, first, last)
    .flatMap(callsOf)
    .filter(({ call: { range } }) => range.start.line >= first && range.start.line <= last);
}

/** The setup and evaluate calls of a row, in the order of the text. */
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
 * The call of a task as its file has it by now: at the same place where the task has as many calls as before, else the
 * one of the same function, counted among its like. Undefined where neither can be told.
 */
export function currentCall(now: Task, before: Task, phase: Phase, index: number): Call | undefined {
  const [were, are] = [before[phase], now[phase]];
  if (were.length === are.length) return are[index];
  const name = were[index]?.function;
  const nth = were.slice(0, index).filter((call) => call.function === name).length;
  return are.filter((call) => call.function === name)[nth];
}

function rowsOn(file: TaskFile, line: number): readonly TaskRow[] {
  return rowsBetween(file, line, line);
}

/** Rows that have a part in these lines: found by halves, since a file may hold a hundred thousand. */
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
