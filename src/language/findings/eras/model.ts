import { defined } from '../../../base/defined.ts';
import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { Path } from '../../../base/path.ts';
import type { Problem } from '../../../tasks/problem.ts';
import { kindOf } from '../../../tasks/rows.ts';
import { asText, changeTo, removal, suggestKey } from '../../../tasks/value-fixes.ts';

/**
 * HUD's models are written in pydantic. These checks reject what its lax mode rejects: `"2"`, `2.0` and `true` are
 * valid integers, `"yes"` is true, and a number is never a text.
 */
export type Check = (value: Json, path: Path, report: ModelReport) => void;

/** The HUD release whose model is checked, and the collected problems. */
export interface ModelReport {
  /** Its name in messages: `HUD 0.6.21`. */
  readonly hud: string;
  readonly problems: Problem[];
}

interface Member {
  readonly check: Check;
  /** What the value is, for the message about a missing member; absent if it is optional. */
  readonly missing?: string;
}

/** `refused`: pydantic's `extra="forbid"`. `ignored`: a warning, because the member has no effect. */
type Extra = 'refused' | 'ignored' | 'reported elsewhere';

export const anything: Check = () => {};

/** A text with a length in code points, as Python counts. */
export function text(least = 0, most = Number.POSITIVE_INFINITY): Check {
  return (value, path, report) => {
    if (typeof value !== 'string') {
      const meant = asText(value);
      return wrongType(report, path, 'a string', value, meant === undefined ? undefined : [changeTo(path, meant)]);
    }
    if (value.length < least) return wrongValue(report, path, 'must not be empty');
    if (value.length > most && [...value].length > most) {
      wrongValue(report, path, `must have at most ${most} characters, found ${[...value].length}`);
    }
  };
}

/** @param above the number must be greater */
export function whole(above: number): Check {
  return (value, path, report) => {
    const number = wholeNumber(value);
    if (number === null) return wrongType(report, path, 'an integer', value);
    if (number <= above) wrongValue(report, path, `must be greater than ${above}, found ${JSON.stringify(value)}`);
  };
}

/** @param above the number must be greater */
export function number(above: number): Check {
  return (value, path, report) => {
    const found = floatingNumber(value);
    if (found === null) return wrongType(report, path, 'a number', value);
    if (!(found > above)) wrongValue(report, path, `must be greater than ${above}, found ${JSON.stringify(value)}`);
  };
}

const FLAGS = new Set(['0', 'off', 'f', 'false', 'n', 'no', '1', 'on', 't', 'true', 'y', 'yes']);

export const flag: Check = (value, path, report) => {
  if (typeof value === 'boolean' || value === 0 || value === 1) return;
  if (typeof value === 'string' && FLAGS.has(value.toLowerCase())) return;
  wrongType(report, path, 'true or false', value);
};

export function nullable(check: Check): Check {
  return (value, path, report) => {
    if (value !== null) check(value, path, report);
  };
}

export function listOf(check: Check, least = 0): Check {
  return (value, path, report) => {
    if (!Array.isArray(value)) {
      const alone = value === null || value === '' ? undefined : [changeTo(path, [value])];
      return wrongType(report, path, 'a list', value, alone);
    }
    if (value.length < least) return wrongValue(report, path, 'must not be empty');
    const items: readonly Json[] = value;
    for (const [index, item] of items.entries()) check(item, [...path, index], report);
  };
}

/** Any object: `dict[str, ...]`. */
export function objectOf(check: Check): Check {
  return (value, path, report) => {
    if (!isObject(value)) {
      return wrongType(report, path, 'an object', value, value === null ? [changeTo(path, {})] : undefined);
    }
    if (check !== anything) for (const [key, item] of Object.entries(value)) check(item, [...path, key], report);
  };
}

export function required(check: Check, missing: string): Member {
  return { check, missing };
}

export function optional(check: Check): Member {
  return { check };
}

/** @param what name in messages: `runtime_config.limits` */
export function members(fields: Readonly<Record<string, Member>>, extra: Extra, what: string): Check {
  const known = Object.keys(fields);
  const needed = known.filter((key) => fields[key]?.missing !== undefined);
  return (value, path, report) => {
    if (!isObject(value)) return wrongType(report, path, 'an object', value);
    for (const key of needed) {
      if (!(key in value)) missingField(report, path, key, fields[key]?.missing ?? '');
    }
    for (const [key, item] of Object.entries(value)) {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field !== undefined) checkField(field, item, [...path, key], report);
      else if (extra !== 'reported elsewhere') unknownField(report, path, key, known, what, extra === 'refused', value);
    }
  };
}

/** Offers to remove an optional value that HUD rejects. */
function checkField({ check, missing }: Member, value: Json, path: Path, report: ModelReport): void {
  const before = report.problems.length;
  check(value, path, report);
  if (missing !== undefined) return;
  for (let index = before; index < report.problems.length; index += 1) {
    const problem = report.problems[index];
    if (problem === undefined || problem.fixes !== undefined || problem.path.length !== path.length) continue;
    report.problems[index] = { ...problem, fixes: [removal(path)] };
  }
}

export function wrongType(
  { hud, problems }: ModelReport,
  path: Path,
  expected: string,
  value: Json,
  fixes?: Problem['fixes'],
): void {
  problems.push({
    path,
    severity: 'error',
    code: 'wrong-type',
    message: `${nameOf(path)} must be ${expected} in ${hud}, found ${kindOf(value)}`,
    ...defined({ fixes }),
  });
}

/** @param said what the value must be, without its name */
export function wrongValue({ hud, problems }: ModelReport, path: Path, said: string, fixes?: Problem['fixes']): void {
  problems.push({
    path,
    severity: 'error',
    code: 'wrong-value',
    message: `${nameOf(path)} ${said} (${hud})`,
    ...defined({ fixes }),
  });
}

export function missingField({ hud, problems }: ModelReport, path: Path, key: string, said: string): void {
  problems.push({
    path,
    severity: 'error',
    code: 'missing-field',
    message: `${hud} requires "${key}"${path.length === 0 ? '' : ` in ${nameOf(path)}`}: ${said}`,
  });
}

function unknownField(
  { hud, problems }: ModelReport,
  path: Path,
  key: string,
  known: readonly string[],
  what: string,
  refused: boolean,
  value: JsonObject,
): void {
  const at = [...path, key];
  const { hint, fixes } = suggestKey(at, known, value);
  problems.push({
    path: at,
    part: 'key',
    severity: refused ? 'error' : 'warning',
    code: 'unknown-key',
    message: refused
      ? `“${key}” is not a key of ${what}; ${hud} rejects it${hint || `. Valid keys: ${known.join(', ')}`}`
      : `“${key}” is not a key of ${what}; ${hud} ignores it${hint}`,
    fixes,
  });
}

/** `“limits.run_timeout_s”`: the path as a name. */
export function nameOf(path: Path): string {
  return path.length === 0 ? 'This' : `“${path.join('.')}”`;
}

const WHOLE = /^\s*[+-]?\d+(?:_\d+)*(?:\.0+)?\s*$/;
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
/** Where `_` is not part of a number. */
const MISPLACED_UNDERSCORE = /^_|__|_$/;
const NOT_FINITE = /^\s*([+-]?)(?:inf|infinity|(nan))\s*$/i;

function wholeNumber(value: Json): number | null {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return Number.isInteger(value) ? value : null;
  return typeof value === 'string' && WHOLE.test(value) ? Number(value.replaceAll('_', '')) : null;
}

function floatingNumber(value: Json): number | null {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  const digits = MISPLACED_UNDERSCORE.test(value) || !value.includes('_') ? value.trim() : value.replaceAll('_', '');
  if (FLOAT.test(digits)) return Number(digits);
  const special = NOT_FINITE.exec(value);
  if (special === null) return null;
  return special[2] !== undefined ? Number.NaN : special[1] === '-' ? -Infinity : Infinity;
}
