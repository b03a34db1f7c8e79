import { isObject, type Json, type JsonObject, listOf, textOf } from '../../base/json.ts';
import type { CallResult, VerdictPart } from '../../functions/declaration.ts';
import { strip } from '../../functions/graders/text.ts';
import { asciiDigits } from '../../python/digits.ts';
import { abbreviateJson, parsePythonJson } from '../../python/json.ts';

/** The result of a tool call, as MCP has it. */
export interface ToolResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: Json | undefined;
  readonly isError?: boolean | undefined;
}

/** The keys in which HUD searches for a reward, in this order. */
const REWARD_KEYS = ['reward', 'grade', 'score'] as const;
/** The maximum length of a grade in a message. */
const MAX_EXCERPT = 300;
const DIGITS = '\\p{Nd}+(?:_\\p{Nd}+)*';
/** The finite numbers that Python's `float` reads from a text. */
const PYTHON_NUMBER = new RegExp(`^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:e[+-]?${DIGITS})?$`, 'iu');

/**
 * The verdict in the result of an evaluate tool, read as by HUD's `find_reward` (0.4.74): `reward`, `grade`, or `score` of
 * the structured content; subscores with weights; or the first text that is a JSON object with such a key. Where HUD
 * counts 0 because it finds no reward or an unusable one, this is an error.
 */
export function rewardOfTool(name: string, result: ToolResult): CallResult {
  const excerpt = abbreviateJson(result as unknown as Json);
  if (result.isError === true)
    return failure('call_threw', `The tool \`${name}\` failed: ${resultText(result) || excerpt}`);
  const { structuredContent } = result;
  if (isObject(structuredContent)) {
    const key = REWARD_KEYS.find((one) => Object.hasOwn(structuredContent, one));
    if (key !== undefined) return verdict(name, key, structuredContent, excerpt);
    const { subscores, weights } = structuredContent;
    if (isObject(subscores) && isObject(weights)) return weightedSum(subscores, weights) ?? noReward(name, excerpt);
  }
  for (const block of result.content) {
    const text = block['type'] === 'text' ? block['text'] : null;
    const value = typeof text === 'string' ? parse(text) : undefined;
    if (value === undefined) continue;
    if (!isObject(value)) {
      const message = `The tool \`${name}\` returned ${excerpt}. HUD fails on a text that is JSON but no object: return {"reward": …}`;
      return failure('call_returned_nothing', message);
    }
    const key = Object.keys(value).find((one) => (REWARD_KEYS as readonly string[]).includes(one));
    if (key !== undefined) return verdict(name, key, value, excerpt);
  }
  return noReward(name, excerpt);
}

function noReward(name: string, excerpt: string): CallResult {
  const message = `The result of the tool \`${name}\` has no reward. HUD counts that as 0; return {"reward": …}. It returned ${excerpt}`;
  return failure('call_returned_nothing', message);
}

/** The verdict in the text of the resource with which HUD 0.5 grades a scenario. */
export function rewardOfScenario(scenario: string, text: string): CallResult {
  const excerpt = text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text;
  const grade = parse(text);
  if (!isObject(grade)) {
    return failure('call_returned_nothing', `The grade of the scenario “${scenario}” cannot be read: ${excerpt}`);
  }
  if (grade['isError'] === true) {
    const reason = textOf(grade['content']) ?? `HUD counts it as 0: ${excerpt}`;
    return failure('call_threw', `The scenario “${scenario}” yielded no usable grade. ${reason}`);
  }
  if (!Object.hasOwn(grade, 'reward')) {
    return failure('call_returned_nothing', `The grade of the scenario “${scenario}” has no reward: ${excerpt}`);
  }
  // HUD reads `reward` alone, and gives 0 for a dictionary without one.
  const other = grade['reward'] === 0 ? REWARD_KEYS.slice(1).find((key) => isNumber(grade[key])) : undefined;
  if (other !== undefined) {
    const message = `The scenario “${scenario}” yielded "${other}" and no "reward", which HUD 0.5 counts as 0. Yield {"reward": …}. It yielded ${excerpt}`;
    return failure('call_returned_nothing', message);
  }
  return verdict(scenario, 'reward', grade, excerpt);
}

function verdict(name: string, key: string, row: JsonObject, excerpt: string): CallResult {
  const value = float(row[key]);
  if (value === null) {
    return failure('call_returned_nothing', `The "${key}" of \`${name}\` is no number. It returned ${excerpt}`);
  }
  const parts = partsOf(row['subscores']);
  const reason = textOf(row['content']) ?? `returned ${excerpt}`;
  return { value, reason, ...(parts.length === 0 ? {} : { parts }) };
}

/**
 * The sum of `{"subscores": {name: value}, "weights": {name: weight}}`, which HUD reads since 0.4.60; null if one of them is
 * not a number, which HUD counts as 0.
 */
function weightedSum(subscores: JsonObject, weights: JsonObject): CallResult | null {
  let value = 0;
  for (const [key, score] of Object.entries(subscores)) {
    if (!Object.hasOwn(weights, key)) continue;
    const [number, weight] = [float(score), float(weights[key])];
    if (number === null || weight === null) return null;
    value += number * weight;
  }
  const parts = partsOf(Object.entries(subscores).map(([name, score]) => ({ name, value: float(score) })));
  return {
    value,
    reason: `returned ${abbreviateJson({ subscores, weights })}`,
    ...(parts.length === 0 ? {} : { parts }),
  };
}

function partsOf(subscores: Json | undefined): VerdictPart[] {
  return listOf(subscores).flatMap((one) => {
    if (!isObject(one)) return [];
    const { name, value, weight } = one;
    if (typeof name !== 'string' || !isNumber(value) || value < 0 || value > 1) return [];
    return [{ name, value, reason: isNumber(weight) ? `weight ${weight}` : '' }];
  });
}

/** The texts of a result. */
export function resultText({ content }: ToolResult): string {
  return content.flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : [])).join('\n');
}

/** Parses JSON as Python does; undefined for a text that is not JSON. */
function parse(text: string): Json | undefined {
  try {
    return parsePythonJson(text);
  } catch {
    return undefined;
  }
}

/** Python's `float`; null for a value that it does not accept or that is not finite. */
function float(value: Json | undefined): number | null {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return isNumber(value) ? value : null;
  const text = strip(value);
  const number = PYTHON_NUMBER.test(text) ? Number(asciiDigits(text).replaceAll('_', '')) : null;
  return isNumber(number) ? number : null;
}

function failure(code: 'call_threw' | 'call_returned_nothing', message: string): CallResult {
  return { error: { code, message: message.endsWith('.') ? message : `${message}.` } };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
