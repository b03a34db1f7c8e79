import type { Json } from '../base/json.ts';

const tuples = new WeakSet<object>();

/** Marks a list that is a tuple in Python: HUD reads a list of tuples as calls, but rejects a list of lists. */
export function asTuple(items: readonly Json[]): readonly Json[] {
  tuples.add(items);
  return items;
}

export function isTuple(value: unknown): boolean {
  return typeof value === 'object' && value !== null && tuples.has(value);
}
