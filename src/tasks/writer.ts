import type { Json } from '../base/json.ts';

/** Writes values in a file format, on one line, so that they fit anywhere in the text. */
export interface Writer {
  value(value: Json): string;
  /** A key with its separator and a space: `"gym": `, `gym: `; in Python calls `gym=`. */
  member(key: string, inCall: boolean): string;
}
