import type { Path } from './path.ts';

/** What stands, or would stand, at a place in the text of a task, however broken the text is. */
export interface RowCursor {
  /** Whether a key of an object is written here, a value, or neither: before a separator, or behind what is complete. */
  readonly at: 'key' | 'value' | 'between';
  /**
   * `value`: the path of the value. In a list, the index that a value written here would have.
   * `key`: the path of the object that the key belongs to.
   * `between`: the path of what stands before the place.
   */
  readonly path: Path;
  /** Offsets in the file of what is written here and would be replaced, quotes included; empty where nothing is. */
  readonly start: number;
  readonly end: number;
  /** The text written here up to the place, without quotes and escapes; empty where nothing is. */
  readonly before: string;
  /** The same from the place on; nothing said means empty. */
  readonly after?: string;
  /** What is written here begins with a quote. */
  readonly quoted: boolean;
  /** A key is followed by its separator already (`:` or `=`), or a value by the comma that its list needs. */
  readonly followed: boolean;
  /** A comma is missing at this offset before what is written here. */
  readonly commaBefore?: number;
  /** What is written here must end with a comma, because something follows. */
  readonly commaAfter?: true;
  /** What parts neighbours here, where it is no comma: in YAML a new line, and in its lists `- ` as well. */
  readonly between?: string;
  /** A key here is an argument of a call: `gym=`, not `"gym": `. */
  readonly inCall?: true;
  /** The task as far as it can be read, what is being written included where it can be. */
  readonly task: unknown;
}
