/** Keys and indexes that lead to a value inside a task. */
export type Path = readonly (string | number)[];

/** A member's key, or its value. */
export type Part = 'key' | 'value';

/** Returns the value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let inner = value;
  for (const step of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return undefined;
    inner = (inner as Readonly<Record<string | number, unknown>>)[step];
  }
  return inner;
}
