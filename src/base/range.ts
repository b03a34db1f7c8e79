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

/** A span of text in UTF-16 offsets; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A copy of an object with a span, which is that many characters further on in the text. */
export function shift<T extends Span>(object: T, by: number): T {
  return { ...object, start: object.start + by, end: object.end + by };
}

/** Whether a position comes before another one. */
export function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}

export const EMPTY_RANGE: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
