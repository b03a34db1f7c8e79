import { isObject, type Json, objectOf, textOf } from '../../base/json.ts';
import type { CallResult } from '../../functions/declaration.ts';
import { abbreviateJson } from '../../python/json.ts';

/** The keys of a score, the preferred first. */
const SCORE_KEYS = ['reward', 'grade', 'score'];

/**
 * Converts the answer of a controller's evaluate function to a value with a reason: a number, a boolean, or an object
 * with a `score` (HUD 0.2's `EvaluationResult`; also `reward` and `grade`, as in HUD's later releases) and a `reason`.
 * The run checks that the value is from 0 to 1.
 */
export function readVerdict(name: string, result: Json): CallResult {
  if (result === null) {
    return wrong(
      'call_returned_nothing',
      `\`${name}\` returned None; return a number from 0 to 1, or {"score": …, "reason": …}`,
    );
  }
  const score = isObject(result) ? result[SCORE_KEYS.find((key) => result[key] !== undefined) ?? ''] : result;
  const value = typeof score === 'boolean' ? Number(score) : score;
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) {
    return wrong(
      'call_out_of_range',
      `\`${name}\` returned ${abbreviateJson(result)}; a number from 0 to 1, or {"score": …}, is needed`,
    );
  }
  if (!isObject(result)) return { value, reason: `returned ${abbreviateJson(result)}` };
  const parts = Object.entries(objectOf(result['criteria_scores'])).flatMap(([name, value]) =>
    typeof value === 'number' && value >= 0 && value <= 1 ? [{ name, value, reason: '' }] : [],
  );
  const reason = textOf(result['reason']) ?? `returned ${abbreviateJson(result)}`;
  return { value, reason, ...(parts.length === 0 ? {} : { parts }) };
}

/** The answer of a setup function as a reason. It has no meaning. */
export function readSetup(result: Json): CallResult {
  return { value: null, reason: result === null ? '' : `returned ${abbreviateJson(result)}` };
}

function wrong(code: 'call_returned_nothing' | 'call_out_of_range', message: string): CallResult {
  return { error: { code, message } };
}
