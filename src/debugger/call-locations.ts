import { isBefore, type Position, type Range } from '../base/range.ts';
import { firstIndexWhere } from '../base/search.ts';
import { kindOfType } from '../environments/kinds.ts';
import type { Phase } from '../functions/declaration.ts';
import type { TaskFile, TaskRow } from '../tasks/rows.ts';
import type { Call, Task } from '../tasks/task.ts';

/** A setup or evaluate call, or the start of a task by code of the user, and its position in the task. */
export interface LocatedCall<P extends Phase | 'start' = Phase> {
  /** The task's id, or its index as a string. */
  readonly task: string;
  readonly phase: P;
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
  return nearest(rowsBetween(file, line, line).flatMap(callsOf), line, column);
}

/**
 * What a breakpoint on a line stops at: the call that it refers to, and if the start of the task is at the same place,
 * both. Without a column, a place is a line.
 */
export function stopsAt(file: TaskFile, line: number, column: number | null): readonly LocatedCall<Phase | 'start'>[] {
  const stops = rowsBetween(file, line, line).flatMap(stopsOf);
  const target = nearest(stops, line, column);
  if (target === undefined) return [];
  const { start } = target.call.range;
  return stops.filter((stop) => {
    if (stop === target) return true;
    if (stop.task !== target.task || (stop.phase !== 'start' && target.phase !== 'start')) return false;
    const other = stop.call.range.start;
    return other.line === start.line && (column === null || other.character === start.character);
  });
}

function nearest<P extends Phase | 'start'>(
  calls: readonly LocatedCall<P>[],
  line: number,
  column: number | null,
): LocatedCall<P> | undefined {
  const beginning = calls.filter(({ call }) => call.range.start.line === line);
  const atColumn =
    column === null
      ? undefined
      : (calls.find(({ call }) => contains(call.range, { line, character: column })) ??
        beginning.find(({ call }) => call.range.start.character >= column));
  const first = atColumn ?? beginning[0];
  if (first !== undefined) return first;
  const around = calls.filter(({ call }) => call.range.start.line < line && call.range.end.line >= line);
  const innermost = around.reduce<LocatedCall<P> | undefined>(
    (best, one) => (best === undefined || isBefore(best.call.range.start, one.call.range.start) ? one : best),
    undefined,
  );
  return innermost ?? calls.find(({ call }) => call.range.start.line > line);
}

/** All that a breakpoint in these lines can stop at, in text order. */
export function stopsBetween(file: TaskFile, first: number, last: number): readonly LocatedCall<Phase | 'start'>[] {
  return rowsBetween(file, first, last)
    .flatMap(stopsOf)
    .filter(({ call: { range } }) => range.start.line >= first && range.start.line <= last);
}

/** The setup and evaluate calls of a row, in text order. */
function callsOf(row: TaskRow): LocatedCall[] {
  const { task } = row;
  if (task === null) return [];
  const of = (phase: Phase) => task[phase].map((call, index) => ({ task: row.name, phase, index, call }));
  return [...of('setup'), ...of('evaluate')].sort(inTextOrder);
}

function inTextOrder(
  { call: { range: a } }: LocatedCall<Phase | 'start'>,
  { call: { range: b } }: LocatedCall<Phase | 'start'>,
): number {
  return isBefore(a.start, b.start) ? -1 : isBefore(b.start, a.start) ? 1 : 0;
}

/** The calls of a row, and its start where code of the user starts it. */
function stopsOf(row: TaskRow): LocatedCall<Phase | 'start'>[] {
  const { task } = row;
  const start = task === null ? null : (kindOfType(task.env)?.start?.(task.env) ?? null);
  if (start === null) return callsOf(row);
  const range = row.rangeOf(['env']) ?? row.range;
  const startCall: LocatedCall<'start'> = { task: row.name, phase: 'start', index: 0, call: { ...start, range } };
  return [startCall, ...callsOf(row)].sort(inTextOrder);
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

/** Rows that overlap these lines. Binary search, because a file can have a hundred thousand rows. */
function rowsBetween({ rows }: TaskFile, first: number, last: number): readonly TaskRow[] {
  return rows.slice(
    firstIndexWhere(rows, ({ range }) => range.end.line >= first),
    firstIndexWhere(rows, ({ range }) => range.start.line > last),
  );
}

function contains({ start, end }: Range, at: Position): boolean {
  return !isBefore(at, start) && isBefore(at, end);
}

/**
 * The task with the ranges of its calls in the current version of the task, as far as they can be determined.
 * @param locate chooses the call whose range counts from the recorded one and the current one
 */
export function withRangesOf(
  current: Task,
  task: Task,
  locate = (call: Call, currentVersion: Call | undefined): Call => currentVersion ?? call,
): Task {
  const calls = (phase: Phase): Call[] =>
    task[phase].map((call, index) => ({
      ...call,
      range: locate(call, currentCall(current, task, phase, index)).range,
    }));
  return { ...task, range: current.range, setup: calls('setup'), evaluate: calls('evaluate') };
}
