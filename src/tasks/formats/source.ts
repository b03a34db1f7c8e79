import type { Severity } from '../finding.ts';
import type { Part, Path } from '../problem.ts';
import type { Json } from '../task.ts';

/** Something to say about a span of the text, in UTF-16 offsets. */
export interface TextProblem {
  readonly start: number;
  readonly end: number;
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly replacement?: string;
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
  read(): RowContent;
  /** Offsets of the value at the path, or of its key; undefined where there is none. */
  locate(path: Path, part: Part): { readonly start: number; readonly end: number } | undefined;
}

/** A file's text, taken apart into rows. */
export interface FileSource {
  readonly set: Readonly<Record<string, Json>> | null;
  readonly rows: readonly RowSource[];
  /** What is wrong outside the rows. */
  readonly problems: readonly TextProblem[];
}

/** Deeper nesting than this is refused: no task needs it, and it would exhaust the stack. */
export const MAX_DEPTH = 200;
