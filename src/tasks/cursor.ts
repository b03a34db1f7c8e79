import type { Path } from '../base/path.ts';
import type { Span } from '../base/range.ts';

/** What is, or would be, at an offset, even if the syntax is broken. The span is the text that a completion replaces. */
export interface RowCursor extends Span {
  /** Whether the offset is in a key, in a value, or in neither: before a separator, or after a complete value. */
  readonly at: 'key' | 'value' | 'between';
  /**
   * `value`: the path of the value. In a list, the index that a value inserted here would have.
   * `key`: the path of the object that the key belongs to.
   * `between`: the path of the value before the offset.
   */
  readonly path: Path;
  /** The text before the offset, without quotes and escapes. */
  readonly before: string;
  /** The text after the offset; absent means empty. */
  readonly after?: string;
  /** The text at the offset begins with a quote. */
  readonly quoted: boolean;
  /** The key already has its separator (`:` or `=`), or the value has the comma that its list needs. */
  readonly followed: boolean;
  /** Offset of a missing comma before the text at the offset. */
  readonly commaBefore?: number | undefined;
  /** An inserted value must end with a comma, because another one follows. */
  readonly commaAfter?: true | undefined;
  /** The separator to insert, if it is not a comma: in YAML a new line, in YAML lists followed by `- `. */
  readonly between?: string;
  /** The key is an argument of a call: `gym=`, not `"gym": `. */
  readonly inCall?: true | undefined;
  /** The task as far as it can be read, including the incomplete value if possible. */
  readonly task: unknown;
}

/** What is at an offset, without the task. */
export type Place = Omit<RowCursor, 'task'>;

/** The parts of a place that has no text. */
export function emptyAt(offset: number): Pick<Place, 'start' | 'end' | 'before' | 'quoted'> {
  return { start: offset, end: offset, before: '', quoted: false };
}
