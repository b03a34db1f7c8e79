import type { Call, Json } from '../../tasks/task.ts';

/** `metadata.weight` of a call: 1 if absent, null if it is not a finite number greater than 0. */
export function weightOf(call: Call): number | null {
  const weight = call.metadata?.['weight'];
  if (weight === undefined || weight === null) return 1;
  return typeof weight === 'number' && Number.isFinite(weight) && weight > 0 ? weight : null;
}

/**
 * Combines the values of a task: the weighted mean, or with `metadata.combine` their minimum (`all`) or maximum (`any`).
 * `values` are from 0 to 1 and not empty; weights are greater than 0.
 */
export function rewardOf(
  values: readonly { readonly value: number; readonly weight: number }[],
  combine: Json | undefined,
): number {
  if (combine === 'all') return Math.min(...values.map((one) => one.value));
  if (combine === 'any') return Math.max(...values.map((one) => one.value));
  // Weights are scaled by the largest, so that the sum cannot overflow.
  const largest = Math.max(...values.map((one) => one.weight));
  let sum = 0;
  let weights = 0;
  for (const { value, weight } of values) {
    sum += value * (weight / largest);
    weights += weight / largest;
  }
  return sum / weights;
}
