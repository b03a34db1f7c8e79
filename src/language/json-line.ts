import type { Json } from '../base/json.ts';

/** JSON on one line with spaces: `{ "a": ["b", 1] }`. */
export function jsonLine(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(jsonLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${jsonLine(item)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
