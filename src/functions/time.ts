import { findBuiltin } from './catalogue.ts';

/** What is left for a call beside its command, in ms. */
const BESIDE = 5_000;

/** How long a call takes at the most by what it says itself, in ms: 0 where it says nothing. */
export function timeOf(call: { readonly function: string; readonly args: readonly unknown[] }): number {
  const seconds = findBuiltin(call.function)?.commandSeconds?.(call.args) ?? 0;
  return seconds === 0 ? 0 : seconds * 1_000 + BESIDE;
}
