import { isObject } from '../../base/json.ts';
import type { CallResult, VerdictPart } from '../../functions/declaration.ts';

type Row = Readonly<Record<string, unknown>>;

/** The maximum length of JSON in a reason. */
const SHOWN = 300;

/**
 * Converts the answer of a controller's evaluate function to a value with a reason: a number, a boolean, or an object
 * with a `score` (HUD 0.2's `EvaluationResult`; also `reward` and `grade`, as in HUD's later releases) and a `reason`.
 * The run checks that the value is from 0 to 1.
 */
export function readVerdict(name: string, result: unknown): CallResult {
  if (result === null || result === undefined) {
    return wrong(
      'call_returned_nothing',
      `\`${name}\` returned None; return a number from 0 to 1, or {"score": …, "reason": …}`,
    );
  }
  const found = isObject(result) ? scoreOf(result) : result;
  const value = typeof found === 'boolean' ? Number(found) : found;
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) {
    return wrong(
      'call_out_of_range',
      `\`${name}\` returned ${shown(result)}; a number from 0 to 1, or {"score": …}, is needed`,
    );
  }
  if (!isObject(result)) return { value, reason: `returned ${shown(result)}` };
  const { reason } = result;
  const parts = partsOf(result['criteria_scores']);
  return {
    value,
    reason: typeof reason === 'string' && reason !== '' ? reason : `returned ${shown(result)}`,
    ...(parts.length === 0 ? {} : { parts }),
  };
}

/** The answer of a setup function as a reason. It has no meaning. */
export function readSetup(result: unknown): CallResult {
  return { value: null, reason: result === null || result === undefined ? '' : `returned ${shown(result)}` };
}

function scoreOf(row: Row): unknown {
  for (const key of ['reward', 'grade', 'score']) if (row[key] !== undefined) return row[key];
  return undefined;
}

function partsOf(scores: unknown): VerdictPart[] {
  if (!isObject(scores)) return [];
  return Object.entries(scores).flatMap(([name, value]) =>
    typeof value === 'number' && value >= 0 && value <= 1 ? [{ name, value, reason: '' }] : [],
  );
}

function wrong(code: 'call_returned_nothing' | 'call_out_of_range', message: string): CallResult {
  return { error: { code, message } };
}

function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value, (_key, inner) =>
    typeof inner === 'number' && !Number.isFinite(inner) ? String(inner) : inner,
  );
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
