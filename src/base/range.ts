/** Zero-based line and UTF-16 column, as in the Language Server Protocol. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** A span of text; `end` is exclusive. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export const EMPTY_RANGE: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
