/** Keys and indexes that lead to a value inside a task. */
export type Path = readonly (string | number)[];

/** A member's key, or its value. */
export type Part = 'key' | 'value';

/** Returns the value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as Readonly<Record<string | number, unknown>>)[step];
  }
  return found;
}
