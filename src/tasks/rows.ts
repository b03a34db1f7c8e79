import type { Change, TextEdit } from './change.ts';
import type { RowCursor } from './cursor.ts';
import type { Finding } from './finding.ts';
import type { OffsetEdit } from './lines.ts';
import type { Part, Path } from './path.ts';
import type { Problem } from './problem.ts';
import type { Position, Range } from './range.ts';
import type { Reading } from './reading.ts';
import type { Work } from './slices.ts';
import type { Era, Json, Task } from './task.ts';
import type { Writer } from './writer.ts';

export type Format = 'json' | 'jsonl' | 'yaml' | 'python';

/**
 * A file of tasks as it was read. Rows and findings are worked out when they are asked for. It goes along with the changes
 * of its text: what is asked of it and of its rows is answered for the text as it is now.
 */
export interface TaskFile {
  /** Absolute path. */
  readonly file: string;
  readonly format: Format;
  /** What stands beside the list in a file of the form `{name, tasks: [...]}`; null in a bare list or a single task. */
  readonly set: {
    readonly id: string | null;
    readonly name: string | null;
    readonly description: string | null;
  } | null;
  readonly rows: readonly TaskRow[];
  /** What cannot be read in the file, in the order of the text. What is wrong with the tasks themselves: `diagnose`. */
  readonly findings: readonly Finding[];
  /** Those that stand in no row: the rows have the others. */
  readonly outside: readonly Finding[];
  /** Writes values as this file holds them. */
  readonly writer: Writer;
  /** The row that a position stands in, its ends included. */
  rowAt(position: Position): TaskRow | undefined;
  /** Whether these are the parts of its whole text, the byte order mark apart. Yields after each. */
  isText(parts: Iterable<string>): Work<boolean>;
  /** What is written at a position; undefined outside the rows. */
  cursor(position: Position): Cursor | undefined;
  /** Edits that put a new row in at the index (the number of rows: at the end); null where the text does not allow it. */
  insertRow(index: number, value: Json): readonly TextEdit[] | null;
  /** Edits that take a row out. */
  removeRow(index: number): readonly TextEdit[] | null;
  /**
   * Takes changes of the text in, one after the other, each in offsets of the text as the one before it left it. Rows that
   * they do not touch stay the same objects in `rows` and keep what was worked out of them. Yields where it may be
   * interrupted: an ordinary keystroke is done at once, and until it is done nothing else may be asked of the file.
   */
  change(changes: readonly OffsetEdit[]): Work<void>;
}

/** One row of a task file, in the order of the file; a row that cannot be read keeps its place. */
export interface TaskRow {
  /** Zero-based. */
  readonly index: number;
  readonly era: Era;
  /** Null where there is none, or an empty one. */
  readonly id: string | null;
  /** What HUD 0.5 and 0.6 know the task by: the one it is given, or the default of 0.6; null in other eras. */
  readonly slug: string | null;
  /** The id, or the index as a string. */
  readonly name: string;
  readonly range: Range;
  /** As it is written in the file. */
  readonly text: string;
  /** Null where the row cannot be read at all. */
  readonly task: Task | null;
  /** As it stands in the file, undefined where nothing of it can be read. */
  readonly value: unknown;
  /** What cannot be read in it. */
  readonly findings: readonly Finding[];
  /** What the row says and what is odd about it, with paths in place of ranges; null where `task` is. */
  readonly reading: Reading | null;
  /** Where the value at the path stands, or its key; undefined where there is none. */
  rangeOf(path: Path, part?: Part): Range | undefined;
  /** The problem with its place: the nearest value around it where the path itself has none. */
  finding(problem: Problem): Finding;
  /** Edits that make the changes and leave the rest of the file alone; null where the text does not allow it. */
  edit(changes: readonly Change[]): readonly TextEdit[] | null;
  /** What is written at a position in this row. */
  cursor(position: Position): Cursor;
}

/** A place in a task file, and what is written there. */
export interface Cursor extends Omit<RowCursor, 'start' | 'end' | 'commaBefore'> {
  readonly row: TaskRow;
  readonly range: Range;
  readonly commaBefore?: Position;
}

/** Findings in the order of the text. */
export function byPosition(a: Finding, b: Finding): number {
  return a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
}

/** How a value is called in a message. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' ? `the number ${value}` : 'a text';
}
