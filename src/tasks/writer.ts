import type { Json } from './task.ts';

/** How a format writes what it holds: on one line, so that it can stand anywhere in the text. */
export interface Writer {
  value(value: Json): string;
  /** A key with its separator and the space after it: `"gym": `, `gym: `; in Python's calls `gym=`. */
  member(key: string, inCall: boolean): string;
}

/** JSON, with a space after commas and colons as people write it. */
export const jsonWriter: Writer = { value: writeJson, member: (key) => `${JSON.stringify(key)}: ` };

function writeJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(', ')}]`;
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${writeJson(item)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
