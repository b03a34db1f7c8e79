import type { Json } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import type { Problem } from './problem.ts';

/** Code of the finding that a row is only partly known. */
export const NOT_LITERAL = 'python-not-literal';

/** Placeholder in a row for a value that is only known when the program runs. */
export const UNKNOWN: Json = Object.freeze({});

/** Objects that can have more members than are written. */
const open = new WeakSet<object>([UNKNOWN as object]);

/** Marks an object that can have more members than are written, such as `{**more}`. */
export function withUnknownMembers<T extends object>(value: T): T {
  open.add(value);
  return value;
}

/** Whether an object can have more members than are written: one that is not known at all, or `{**more}`. */
export function hasUnknownMembers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && open.has(value);
}

/** Whether a row is only partly known, because it depends on values that a program computes. */
export function isComputed({ findings }: { readonly findings: readonly { readonly code: string }[] }): boolean {
  return findings.some(({ code }) => code === NOT_LITERAL);
}

/** Whether a part of the value is not known. */
export function containsUnknown(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (open.has(value)) return true;
  return Object.values(value).some(containsUnknown);
}

/** Filters problems of a partly known row: returns those that hold whatever the unknown values are. */
export function certain(problems: readonly Problem[], row: unknown): Problem[] {
  return problems.filter(
    ({ path, about, part, premises = [] }) =>
      isCertain(row, about ?? path, part === 'key') && premises.every((premise) => isCertain(row, premise, false)),
  );
}

function isCertain(row: unknown, path: Path, aboutKey: boolean): boolean {
  let value = row;
  for (const [depth, step] of path.entries()) {
    if (value === UNKNOWN) return false;
    if (typeof value !== 'object' || value === null) return true;
    const next: unknown = Object.hasOwn(value, step) ? (value as Record<string | number, unknown>)[step] : undefined;
    // A missing member can come from an unknown value.
    if (next === undefined) return depth === 0 ? !open.has(value) : !containsUnknown(value);
    value = next;
  }
  if (aboutKey) return true;
  return path.length === 0 ? !hasUnknownMembers(value) : !containsUnknown(value);
}
