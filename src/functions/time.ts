import { MAX_TIMEOUT_MS } from '../base/time-limit.ts';
import { findBuiltin } from './catalogue.ts';

/** The time in ms that a call gets in addition to its work. */
const OVERHEAD = 5_000;

/** The time in ms that a call needs at most according to its arguments; 0 if they set no time. */
export function timeOf(call: { readonly function: string; readonly args: readonly unknown[] }): number {
  const workMs = findBuiltin(call.function)?.workMs?.(call.args) ?? 0;
  return workMs === 0 ? 0 : Math.min(workMs + OVERHEAD, MAX_TIMEOUT_MS);
}
