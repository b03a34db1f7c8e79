import type { Path } from './path.ts';
import type { Problem } from './problem.ts';
import type { Json } from './task.ts';

/** Code of the finding that a row is known in part only. */
export const NOT_LITERAL = 'python-not-literal';

/** Stands in a row for a value that only running the person's program would tell. */
export const UNKNOWN: Json = Object.freeze({});

const open = new WeakSet<object>();

/** An object that may have more members than are written: `{**more}`. */
export function withUnknownMembers<T extends object>(value: T): T {
  open.add(value);
  return value;
}

/** Whether a part of the value is not known. */
export function containsUnknown(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value === UNKNOWN || open.has(value)) return true;
  return Object.values(value).some(containsUnknown);
}

/** Of what was found in a row that is known in part: what holds whatever the unknown parts are. */
export function certain(problems: readonly Problem[], row: unknown): Problem[] {
  return problems.filter(({ path, about, part }) => isCertain(row, about ?? path, part === 'key'));
}

function isCertain(row: unknown, path: Path, aboutKey: boolean): boolean {
  let value = row;
  for (const [depth, step] of path.entries()) {
    if (value === UNKNOWN) return false;
    if (typeof value !== 'object' || value === null) return true;
    const next: unknown = Object.hasOwn(value, step) ? (value as Record<string | number, unknown>)[step] : undefined;
    // What is not written may stand in what is not known.
    if (next === undefined) return depth === 0 ? !open.has(value) : !containsUnknown(value);
    value = next;
  }
  if (aboutKey) return true;
  return path.length === 0
    ? !(typeof value === 'object' && value !== null && open.has(value))
    : !containsUnknown(value);
}
