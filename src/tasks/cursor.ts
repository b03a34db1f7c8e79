import type { Path } from './path.ts';

/** What stands, or would stand, at a place in the text of a task, however broken the text is. */
export interface RowCursor {
  /** Whether a key of an object is written here, or a value. */
  readonly at: 'key' | 'value';
  /**
   * `value`: the path of the value. In a list, the index that a value written here would have.
   * `key`: the path of the object that the key belongs to.
   */
  readonly path: Path;
  /** Offsets in the file of what is written here and would be replaced, quotes included; empty where nothing is. */
  readonly start: number;
  readonly end: number;
  /** The text written here up to the place, without quotes and escapes; empty where nothing is. */
  readonly before: string;
  /** What is written here begins with a quote. */
  readonly quoted: boolean;
  /** A key is followed by its separator already (`:` or `=`), or a value by the comma that its list needs. */
  readonly followed: boolean;
  /** The task as far as it can be read, what is being written included where it can be. */
  readonly task: unknown;
}
