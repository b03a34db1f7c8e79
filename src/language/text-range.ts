import type { Path } from '../base/path.ts';
import type { Range } from '../base/range.ts';
import type { TaskRow } from '../tasks/rows.ts';

/**
 * Range of a part of a text value, without its quotes; the whole value if it spans several lines. Undefined if there is
 * no such value.
 * @param text the value at the path
 * @param part the part to find; the whole text by default
 */
export function textRange(row: TaskRow, path: Path, text: string, part = text): Range | undefined {
  const range = row.rangeOf(path);
  if (range === undefined || range.start.line !== range.end.line) return range;
  const width = range.end.character - range.start.character;
  // A value whose source is as long as its content is unquoted, as YAML allows; otherwise a quote precedes it.
  const character = range.start.character + (width === text.length ? 0 : 1) + Math.max(0, text.indexOf(part));
  if (character + part.length > range.end.character) return range;
  const { line } = range.start;
  return { start: { line, character }, end: { line, character: character + part.length } };
}

/** Whether a position is in a range, its ends included. */
export function within(range: Range, { line, character }: Range['start']): boolean {
  const { start, end } = range;
  return (
    (line > start.line || (line === start.line && character >= start.character)) &&
    (line < end.line || (line === end.line && character <= end.character))
  );
}
