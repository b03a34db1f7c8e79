import { findBuiltin } from './catalogue.ts';

/** The time in ms that a call gets in addition to its command. */
const OVERHEAD = 5_000;

/** The time in ms that a call needs at most according to its arguments; 0 if they set no time. */
export function timeOf(call: { readonly function: string; readonly args: readonly unknown[] }): number {
  const seconds = findBuiltin(call.function)?.commandSeconds?.(call.args) ?? 0;
  return seconds === 0 ? 0 : seconds * 1_000 + OVERHEAD;
}
