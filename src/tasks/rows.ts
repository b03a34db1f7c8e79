import type { Json } from '../base/json.ts';
import type { OffsetEdit } from '../base/lines.ts';
import type { Part, Path } from '../base/path.ts';
import type { Position, Range } from '../base/range.ts';
import { digitsOf, isNumber } from '../base/raw-number.ts';
import type { Work } from '../base/slices.ts';
import type { Change, TextEdit } from './change.ts';
import type { RowCursor } from './cursor.ts';
import type { Finding } from './finding.ts';
import type { Problem } from './problem.ts';
import type { Reading } from './reading.ts';
import type { Era, Task } from './task.ts';
import type { Writer } from './writer.ts';

export type Format = 'json' | 'jsonl' | 'yaml' | 'python';

/**
 * A parsed task file. Rows and findings are computed on demand. The file follows changes of its text: all results refer
 * to the current text.
 */
export interface TaskFile {
  /** Absolute path. */
  readonly file: string;
  readonly format: Format;
  /** Members beside the list in a file of the form `{name, tasks: [...]}`; null for a bare list or a single task. */
  readonly set: {
    readonly id: string | null;
    readonly name: string | null;
    readonly description: string | null;
  } | null;
  readonly rows: readonly TaskRow[];
  /** Syntax problems in document order. `diagnose` returns the problems of the tasks themselves. */
  readonly findings: readonly Finding[];
  /** Findings outside the rows. */
  readonly outside: readonly Finding[];
  /** Other files, existing or not, whose changes change its rows: the modules that a Python file imports. */
  readonly dependsOn: ReadonlySet<string>;
  /** Writes values in the format of the file. */
  readonly writer: Writer;
  /** Returns the row at a position, its end included. */
  rowAt(position: Position): TaskRow | undefined;
  /** Whether the concatenated parts are the whole text without the byte order mark. Yields after each part. */
  isText(parts: Iterable<string>): Work<boolean>;
  /** Returns what is at a position; undefined outside the rows. */
  cursor(position: Position): Cursor | undefined;
  /** Returns edits that insert a row at an index (the number of rows appends); null if the text does not allow it. */
  insertRow(index: number, value: Json): readonly TextEdit[] | null;
  /** Returns edits that remove a row. */
  removeRow(index: number): readonly TextEdit[] | null;
  /**
   * Applies changes in order; the offsets of each refer to the text after the previous one. Unaffected rows stay the
   * same objects and keep their cached results. Yields during long work; a keystroke usually completes at once. Do not
   * use the file before the work is done.
   */
  change(changes: readonly OffsetEdit[]): Work<void>;
}

/** One row of a task file, in document order. A row that cannot be read keeps its index. */
export interface TaskRow {
  /** Zero-based. */
  readonly index: number;
  readonly era: Era;
  /** Null if there is none, or an empty one. */
  readonly id: string | null;
  /** The slug in HUD 0.5 and 0.6: the explicit one, or the default of 0.6; null in other eras. */
  readonly slug: string | null;
  /** The variable that a Python task is assigned to, or its key in a dictionary; null if there is none. */
  readonly variable: string | null;
  /** Whether a function or class of a Python file contains it: HUD does not load it with the file. */
  readonly isLocal: boolean;
  /** The id (in HUD 0.6, where it names a template, the slug), or the index as a string. */
  readonly name: string;
  /** How the task is shown: its id or slug, or else a variable name, the beginning of its prompt, and the like. */
  readonly label: string;
  readonly range: Range;
  /** The source text. */
  readonly text: string;
  /** Null if the row cannot be read at all. */
  readonly task: Task | null;
  /** The value as written in the file; undefined if nothing can be read. */
  readonly value: unknown;
  /** Syntax problems. */
  readonly findings: readonly Finding[];
  /** The row in canonical form with its problems, located by path; null if `task` is. */
  readonly reading: Reading | null;
  /** Range of the value or key at the path; undefined if there is none. */
  rangeOf(path: Path, part?: Part): Range | undefined;
  /** Locates a problem: at its path, or at the nearest enclosing value. */
  finding(problem: Problem): Finding;
  /** Returns edits that apply the changes and nothing else; null if the text does not allow it. */
  edit(changes: readonly Change[]): readonly TextEdit[] | null;
  /** Returns what is at a position in this row. */
  cursor(position: Position): Cursor;
}

/** A position in a task file and what is there. */
export interface Cursor extends Omit<RowCursor, 'start' | 'end' | 'commaBefore'> {
  readonly row: TaskRow;
  readonly range: Range;
  readonly commaBefore?: Position;
}

/** Compares findings, or other objects with a range, by document order. */
export function byPosition(a: Pick<Finding, 'range'>, b: Pick<Finding, 'range'>): number {
  return a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character;
}

/** Names the type of a value in a message. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isNumber(value)) return `the number ${digitsOf(value)}`;
  if (typeof value === 'object') return 'an object';
  return typeof value === 'boolean' ? String(value) : 'a string';
}
