import type { Call, Json } from '../../tasks/task.ts';

/** A run counts as a success from here on: sums of weights are not exact. */
const ENOUGH = 1 - 1e-9;

export function isSuccess(reward: number | null): boolean {
  return reward !== null && reward >= ENOUGH;
}

/** `metadata.weight` of a call: 1 where absent, null where it is no finite number above 0. */
export function weightOf(call: Call): number | null {
  const weight = call.metadata?.['weight'];
  if (weight === undefined || weight === null) return 1;
  return typeof weight === 'number' && Number.isFinite(weight) && weight > 0 ? weight : null;
}

/**
 * How a task's values become one: the weighted mean, or with `metadata.combine` their minimum (`all`) or maximum (`any`).
 * `values` are from 0 to 1 and not empty; weights are above 0.
 */
export function rewardOf(
  values: readonly { readonly value: number; readonly weight: number }[],
  combine: Json | undefined,
): number {
  if (combine === 'all') return Math.min(...values.map((one) => one.value));
  if (combine === 'any') return Math.max(...values.map((one) => one.value));
  // Weights are scaled by the largest, so that no sum of finite weights can overflow.
  const largest = Math.max(...values.map((one) => one.weight));
  let sum = 0;
  let weights = 0;
  for (const { value, weight } of values) {
    sum += value * (weight / largest);
    weights += weight / largest;
  }
  return sum / weights;
}
