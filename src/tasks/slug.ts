import { hash } from 'node:crypto';
import { escapeForJson, isList, isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import { isNumber } from '../base/raw-number.ts';
import { type NumberText, pythonNumber } from '../python/numbers.ts';
import type { Era } from './task.ts';
import { containsUnknown } from './unknown.ts';

/**
 * The default slug of a task in HUD 0.6: its template, and a hash of the arguments,
 * `sha1(json.dumps(args, sort_keys=True))[:8]` (hud 0.6.21, hud/eval/task.py).
 * @param numberText how a number is written in the file, since `1` and `1.0` differ; undefined if it is not known
 */
export function defaultSlug(
  template: string,
  args: JsonObject | undefined,
  numberText: NumberText = () => undefined,
): string {
  if (args === undefined || Object.keys(args).length === 0) return template;
  return `${template}-${hash('sha1', pythonJson(args, ['args'], numberText)).slice(0, 8)}`;
}

/**
 * The slug of a task in HUD 0.5 and 0.6, including the default of 0.6; null if it has none.
 * @param numberText as for `defaultSlug`
 */
export function slugOf(row: JsonObject, era: Era, numberText?: NumberText): string | null {
  if (era !== '0.5' && era !== '0.6') return null;
  const { slug, id, args } = row;
  if (slug !== undefined) return typeof slug === 'string' && slug !== '' ? slug : null;
  if (era === '0.5' || typeof id !== 'string' || id === '') return null;
  if (args !== undefined && !isObject(args)) return null;
  return containsUnknown(row) ? null : defaultSlug(id, args, numberText);
}

/** Whether a text can contain a number whose spelling JavaScript does not preserve. */
export function hasPythonNumbers(text: string): boolean {
  return /\d\.|\d[eE]|\d{16}|0[xo]/.test(text);
}

function pythonJson(value: Json, path: Path, numberText: NumberText): string {
  if (typeof value === 'string') return pythonText(value);
  if (isNumber(value)) return pythonNumber(value, numberText(path));
  if (isList(value)) {
    return `[${value.map((item, index) => pythonJson(item, [...path, index], numberText)).join(', ')}]`;
  }
  if (!isObject(value)) return String(value);
  const members = Object.keys(value)
    .sort(byCodePoint)
    .map((key) => `${pythonText(key)}: ${pythonJson(value[key] ?? null, [...path, key], numberText)}`);
  return `{${members.join(', ')}}`;
}

/** JSON in ASCII: escapes all characters outside the range from space to `~`. */
function pythonText(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, escapeForJson);
}

function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (const [index, character] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (character !== other) return (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
  }
  return left.length - right.length;
}
