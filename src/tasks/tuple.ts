import type { Json } from './task.ts';

const tuples = new WeakSet<object>();

/** A list that its file writes as a Python tuple: HUD reads a list of tuples as several calls, a list of lists as none. */
export function asTuple(items: readonly Json[]): readonly Json[] {
  tuples.add(items);
  return items;
}

export function isTuple(value: unknown): boolean {
  return typeof value === 'object' && value !== null && tuples.has(value);
}
