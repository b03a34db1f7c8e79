import type { Json } from '../base/json.ts';

/** Writes values in a file format, on one line, so that they fit anywhere in the text. */
export interface Writer {
  value(value: Json): string;
  /** A key with its separator and a space: `"gym": `, `gym: `; in Python calls `gym=`. */
  member(key: string, inCall: boolean): string;
}

/** JSON, with a space after commas and colons. */
export const jsonWriter: Writer = { value: writeJson, member: (key) => `${JSON.stringify(key)}: ` };

function writeJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(', ')}]`;
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${writeJson(item)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
