import { kindOfType } from '../../environments/kinds.ts';
import { timeOf } from '../../functions/time.ts';
import type { Call, Task } from '../../tasks/task.ts';

const DEFAULT_MS = 30_000;

/**
 * The time limit of a setup or evaluate call in ms. `requested`: the one that the user has set for every call; otherwise it
 * is the default of the environment's kind, or the time that the call needs if that is longer.
 */
export function callLimit(call: Call, { env }: Task, requested: number | undefined): number {
  return requested ?? Math.max(kindOfType(env)?.callLimit ?? DEFAULT_MS, timeOf(call));
}
