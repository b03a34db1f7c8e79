/** The longest time that timers take, in ms: they end at once with a longer one. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A time limit of a task, which is in seconds, in the whole milliseconds that timers take. */
export function timeLimitOf(seconds: number): number {
  return Math.min(Math.ceil(seconds * 1000), MAX_TIMEOUT_MS);
}
