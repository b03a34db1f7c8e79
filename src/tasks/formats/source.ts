import type { Change } from '../change.ts';
import type { RowCursor } from '../cursor.ts';
import type { Lines, OffsetEdit } from '../lines.ts';
import type { Part, Path } from '../path.ts';
import type { RuleCode } from '../rules/rules.ts';
import type { Severity } from '../severity.ts';
import type { Work } from '../slices.ts';
import type { Json } from '../task.ts';

export type { OffsetEdit } from '../lines.ts';

/** Something to say about a span of the text, in UTF-16 offsets. */
export interface TextProblem {
  readonly start: number;
  readonly end: number;
  readonly severity: Severity;
  readonly code: RuleCode;
  readonly message: string;
  /** What would mend it. */
  readonly fix?: { readonly title: string; readonly edits: readonly OffsetEdit[]; readonly safe?: true };
}

/** What reading the text of one row gave. */
export interface RowContent {
  /** As far as it could be read; only to be trusted where `readable`. */
  readonly value: Json | undefined;
  /** The value is what the text says, although there may be problems (a comment, a trailing comma). */
  readonly readable: boolean;
  readonly problems: readonly TextProblem[];
}

/** One row of a task file in one format. Nothing is parsed before it is asked for. */
export interface RowSource {
  /** Offsets in the text of the file. */
  readonly start: number;
  readonly end: number;
  /**
   * The text that is the row's although nothing of it is written there yet, such as the lines after its last value in YAML:
   * a superset of what stands between `start` and `end`, found without parsing. Nothing said means the same.
   */
  readonly reach?: { readonly start: number; readonly end: number };
  read(): RowContent;
  /** Offsets of the value at the path, or of its key; undefined where there is none. */
  locate(path: Path, part: Part): { readonly start: number; readonly end: number } | undefined;
  /** Edits of the file that make the changes; null where the text does not allow it: it is broken, or an alias. */
  edit(changes: readonly Change[]): readonly OffsetEdit[] | null;
  /** What stands at an offset of the file in its reach, both ends included. */
  cursor(offset: number): RowCursor;
}

/** A file's text, taken apart into rows. */
export interface FileSource {
  readonly set: Readonly<Record<string, Json>> | null;
  readonly rows: readonly RowSource[];
  /** What is wrong outside the rows. */
  readonly problems: readonly TextProblem[];
  /** Edits of the file that put a new row in at the index; null where the text does not allow it. */
  insert(index: number, value: Json): readonly OffsetEdit[] | null;
  /** Edits of the file that take a row out. */
  remove(index: number): readonly OffsetEdit[] | null;
  /**
   * The file after one change of its text. Rows whose text and meaning it leaves as they were stay the same objects, with
   * their `start` and `end` moved: what was worked out of them is kept. Everything else is read anew, so that the answer is
   * what a reading of the whole text gives. Null, or no such method: the whole text is read.
   * @param change in offsets of the text before it
   * @param text after the change; `slice` what is needed, `text.text` copies all of it
   */
  reread?(change: OffsetEdit, text: Lines): FileSource | null;
}

/** Reads a file of one format; yields wherever it may be interrupted, every few milliseconds in a long text. */
export type FileReader = (text: Lines) => Work<FileSource>;

/** Of a file whose rows cannot be changed. */
export const NOT_EDITABLE = { insert: (): null => null, remove: (): null => null };

/** Deeper nesting than this is refused: no task needs it, and it would exhaust the stack. */
export const MAX_DEPTH = 200;

/** The same problem in a text that grew by so many characters before it. */
export function moved(problem: TextProblem, by: number): TextProblem {
  if (by === 0) return problem;
  const move = <T extends { readonly start: number; readonly end: number }>(span: T): T => ({
    ...span,
    start: span.start + by,
    end: span.end + by,
  });
  const { fix } = problem;
  return { ...move(problem), ...(fix === undefined ? {} : { fix: { ...fix, edits: fix.edits.map(move) } }) };
}
