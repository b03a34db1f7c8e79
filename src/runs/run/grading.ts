import type { Json } from '../../base/json.ts';
import type { ErrorCode } from '../../environments/faults.ts';
import type { CallOutcome } from '../../server/protocol.ts';
import { printCall } from '../../tasks/print.ts';
import type { Call } from '../../tasks/task.ts';
import type { Grade } from '../../traces/trace.ts';

/** `metadata.weight` of a call: 1 if absent, null if it is not a finite number greater than 0. */
export function weightOf(call: Call): number | null {
  const weight = call.metadata?.['weight'];
  if (weight === undefined || weight === null) return 1;
  return typeof weight === 'number' && Number.isFinite(weight) && weight > 0 ? weight : null;
}

/**
 * Combines the values of a task: the weighted mean, or with `metadata.combine` their minimum (`all`) or maximum (`any`).
 * `values` are not empty; weights are greater than 0.
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

/**
 * Why the result of an evaluate call is invalid; null if it is valid.
 * @param any the value can be any number, as in environments that grade themselves
 */
export function invalidResult(
  outcome: CallOutcome,
  call: Call,
  any: boolean,
): { message: string; code: ErrorCode } | null {
  if ('error' in outcome) return outcome.error;
  if (outcome.value === null)
    return { code: 'call_returned_nothing', message: 'it returned no value. Return a number from 0 to 1.' };
  if (!any && !(outcome.value >= 0 && outcome.value <= 1)) {
    return { code: 'call_out_of_range', message: `it returned ${outcome.value}. Return a number from 0 to 1.` };
  }
  if (weightOf(call) === null)
    return { code: 'invalid_weight', message: 'its weight must be a number greater than 0.' };
  return null;
}

/** What an evaluate call contributes to the grade. `failure`: why its result is invalid. */
export function subscoreOf(
  call: Call,
  outcome: CallOutcome,
  failure: { readonly message: string } | null,
): Grade['subscores'][number] {
  return {
    name: printCall(call),
    value: failure === null && 'value' in outcome ? outcome.value : null,
    weight: weightOf(call) ?? 1,
    reason: failure?.message ?? ('reason' in outcome ? outcome.reason : ''),
    range: call.range,
    ...('parts' in outcome && outcome.parts !== undefined ? { parts: outcome.parts.map((part) => ({ ...part })) } : {}),
  };
}
