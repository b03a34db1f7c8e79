import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { CallResult, VerdictPart } from '../../functions/declaration.ts';
import { strip } from '../../functions/graders/text.ts';
import { asciiDigits } from '../../python/digits.ts';
import { parsePythonJson } from '../../python/json.ts';

/** The result of a tool call, as MCP has it. */
export interface ToolResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: Json | undefined;
  readonly isError?: boolean | undefined;
}

/** The keys in which HUD searches for a reward, in this order. */
const REWARD_KEYS = ['reward', 'grade', 'score'] as const;
/** The maximum length of what is quoted in a message. */
const SHOWN = 300;
const DIGITS = '\\p{Nd}+(?:_\\p{Nd}+)*';
/** What Python's `float` accepts as a text, without what is not finite. */
const PYTHON_NUMBER = new RegExp(`^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:e[+-]?${DIGITS})?$`, 'iu');

/**
 * The verdict in the result of an evaluate tool, read as by HUD's `find_reward` (0.4.74): `reward`, `grade`, or `score` of
 * the structured content; subscores with weights; or the first text that is a JSON object with such a key. Where HUD
 * counts 0 because it finds no reward or an unusable one, this is an error.
 */
export function rewardOfTool(name: string, result: ToolResult): CallResult {
  const came = shown(result);
  if (result.isError === true) return failed('call_threw', `The tool \`${name}\` failed: ${textOf(result) || came}`);
  const { structuredContent } = result;
  if (isObject(structuredContent)) {
    const key = REWARD_KEYS.find((one) => Object.hasOwn(structuredContent, one));
    if (key !== undefined) return verdict(name, key, structuredContent, came);
    const { subscores, weights } = structuredContent;
    if (isObject(subscores) && isObject(weights)) return weightedSum(subscores, weights) ?? none(name, came);
  }
  for (const block of result.content) {
    const text = block['type'] === 'text' ? block['text'] : null;
    const parsed = typeof text === 'string' ? parse(text) : undefined;
    if (parsed === undefined) continue;
    if (!isObject(parsed)) {
      const wanted = `HUD fails on a text that is JSON but no object: return {"reward": …}`;
      return failed('call_returned_nothing', `The tool \`${name}\` returned ${came}. ${wanted}`);
    }
    const key = Object.keys(parsed).find((one) => (REWARD_KEYS as readonly string[]).includes(one));
    if (key !== undefined) return verdict(name, key, parsed, came);
  }
  return none(name, came);
}

function none(name: string, came: string): CallResult {
  return failed(
    'call_returned_nothing',
    `The result of the tool \`${name}\` has no reward. HUD counts that as 0; return {"reward": …}. It returned ${came}`,
  );
}

/** The verdict in the text of the resource with which HUD 0.5 grades a scenario. */
export function rewardOfScenario(scenario: string, text: string): CallResult {
  const came = cut(text);
  const parsed = parse(text);
  if (!isObject(parsed)) {
    return failed('call_returned_nothing', `The grade of the scenario “${scenario}” cannot be read: ${came}`);
  }
  const { isError, content } = parsed;
  if (isError === true) {
    const said = typeof content === 'string' && content !== '' ? content : `HUD counts it as 0: ${came}`;
    return failed('call_threw', `The scenario “${scenario}” yielded no usable grade. ${said}`);
  }
  if (!Object.hasOwn(parsed, 'reward')) {
    return failed('call_returned_nothing', `The grade of the scenario “${scenario}” has no reward: ${came}`);
  }
  // HUD reads `reward` alone, and gives 0 for a dictionary without one.
  const other = parsed['reward'] === 0 ? REWARD_KEYS.slice(1).find((key) => isNumber(parsed[key])) : undefined;
  if (other !== undefined) {
    const message = `The scenario “${scenario}” yielded "${other}" and no "reward", which HUD 0.5 counts as 0. Yield {"reward": …}. It yielded ${came}`;
    return failed('call_returned_nothing', message);
  }
  return verdict(scenario, 'reward', parsed, came);
}

function verdict(name: string, key: string, row: JsonObject, came: string): CallResult {
  const value = float(row[key]);
  if (value === null) {
    return failed('call_returned_nothing', `The "${key}" of \`${name}\` is no number. It returned ${came}`);
  }
  const { content } = row;
  const parts = partsOf(row['subscores']);
  return {
    value,
    reason: typeof content === 'string' && content !== '' ? content : `returned ${came}`,
    ...(parts.length === 0 ? {} : { parts }),
  };
}

/**
 * `{"subscores": {name: value}, "weights": {name: weight}}`, which HUD reads since 0.4.60; null for what is no number,
 * which it counts as 0.
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
  return { value, reason: `returned ${shown({ subscores, weights })}`, ...(parts.length === 0 ? {} : { parts }) };
}

function partsOf(subscores: Json | undefined): VerdictPart[] {
  if (!Array.isArray(subscores)) return [];
  return (subscores as readonly Json[]).flatMap((one) => {
    if (!isObject(one)) return [];
    const { name, value, weight } = one;
    if (typeof name !== 'string' || !isNumber(value) || value < 0 || value > 1) return [];
    return [{ name, value, reason: isNumber(weight) ? `weight ${weight}` : '' }];
  });
}

/** The texts of a result. */
export function textOf({ content }: ToolResult): string {
  return content.flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : [])).join('\n');
}

/** What Python parses; undefined for what is not JSON. */
function parse(text: string): Json | undefined {
  try {
    return parsePythonJson(text);
  } catch {
    return undefined;
  }
}

/** Python's `float`; null for what it refuses, and for what is not finite. */
function float(value: Json | undefined): number | null {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return isNumber(value) ? value : null;
  const text = strip(value);
  const number = PYTHON_NUMBER.test(text) ? Number(asciiDigits(text).replaceAll('_', '')) : null;
  return isNumber(number) ? number : null;
}

function failed(code: 'call_threw' | 'call_returned_nothing', message: string): CallResult {
  return { error: { code, message: message.endsWith('.') ? message : `${message}.` } };
}

function shown(value: unknown): string {
  return cut(JSON.stringify(value));
}

function cut(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
