import { defined } from '../../base/defined.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Lines, OffsetEdit } from '../../base/lines.ts';
import type { Part, Path } from '../../base/path.ts';
import { type Span, shift } from '../../base/range.ts';
import type { Work } from '../../base/slices.ts';
import type { Change } from '../change.ts';
import type { RowCursor } from '../cursor.ts';
import type { RuleCode } from '../rules/rules.ts';
import type { Severity } from '../severity.ts';

export type { OffsetEdit } from '../../base/lines.ts';

/** A problem in a span of the text. */
export interface TextProblem extends Span {
  readonly severity: Severity;
  readonly code: RuleCode;
  readonly message: string;
  /** A possible fix. */
  readonly fix?: { readonly title: string; readonly edits: readonly OffsetEdit[]; readonly safe?: true };
}

/** An error in a span of the text. */
export function textError(
  { start, end }: Span,
  code: RuleCode,
  message: string,
  fix?: TextProblem['fix'],
): TextProblem {
  return { start, end, severity: 'error', code, message, ...defined({ fix }) };
}

/** The result of reading the text of one row. */
export interface RowContent {
  /** As much as could be read; reliable only if `readable`. */
  readonly value: Json | undefined;
  /** The value is what the text says, although there can be problems (a comment, a trailing comma). */
  readonly readable: boolean;
  readonly problems: readonly TextProblem[];
}

/** One row of a task file in one format, with its span in the file. Parsed on demand. */
export interface RowSource extends Span {
  /** The offset in the file that the offsets of `read`, `locate`, and `cursor` are relative to. */
  readonly base: number;
  /** The span with the blank text after the last value, found without parsing. Absent if it is the same. */
  readonly reach?: Span;
  read(): RowContent;
  /** Offsets of the value at the path, or of its key; undefined if there is none. */
  locate(path: Path, part: Part): Span | undefined;
  /** How the number at a path is written, in a format whose text there can be a name. */
  numberText?(path: Path): string | undefined;
  /** Edits of the file that apply the changes; null if the text does not allow it (broken syntax, an alias). */
  edit(changes: readonly Change[]): readonly OffsetEdit[] | null;
  /** The name of the variable that the row is assigned to, in a program. */
  readonly variable?: string | null;
  /** Whether a function or class of a program contains the row, so that it is not a task of the file itself. */
  readonly isLocal?: boolean;
  /** Returns what is at an offset within its reach, both ends included. */
  cursor(offset: number): RowCursor;
}

/** The text of a file, split into rows. */
export interface FileSource {
  readonly set: JsonObject | null;
  readonly rows: readonly RowSource[];
  /** Problems outside the rows. */
  readonly problems: readonly TextProblem[];
  /** Other files that the reading depends on, existing or not. */
  readonly dependsOn?: ReadonlySet<string>;
  /** Edits of the file that insert a row at an index; null if the text does not allow it. */
  insert(index: number, value: Json): readonly OffsetEdit[] | null;
  /** Edits of the file that remove a row. */
  remove(index: number): readonly OffsetEdit[] | null;
  /**
   * Returns the file after one change of its text. Rows whose text and meaning did not change stay the same objects,
   * with updated `start` and `end`, and keep their cached results. All other rows are read again, so the result equals
   * a reading of the whole text. Null, or no such method: the whole text must be read.
   * @param change in offsets of the text before the change
   * @param text after the change; prefer `slice`, because `text.text` copies the whole text
   */
  reread?(change: OffsetEdit, text: Lines): FileSource | null;
}

/**
 * Reads a file of one format. In a long text, yields every few milliseconds.
 * @param path where the file is, for a format that depends on the files next to it
 */
export type FileReader = (text: Lines, path: string) => Work<FileSource>;

/** For a file whose rows cannot be changed. */
export const NOT_EDITABLE = { insert: (): null => null, remove: (): null => null };

/** A file without rows. */
export function unreadable(...problems: readonly TextProblem[]): FileSource {
  return { set: null, rows: [], problems, ...NOT_EDITABLE };
}

/** Maximum nesting depth. Tasks need less, and deeper nesting would overflow the stack. */
export const MAX_DEPTH = 200;

/** The same problem and its fix, that many characters further on in the text. */
export function shiftProblem(problem: TextProblem, by: number): TextProblem {
  if (by === 0) return problem;
  const { fix } = problem;
  const result = shift(problem, by);
  return fix === undefined ? result : { ...result, fix: { ...fix, edits: fix.edits.map((edit) => shift(edit, by)) } };
}
