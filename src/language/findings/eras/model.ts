import * as z from 'zod';
import { defined } from '../../../base/defined.ts';
import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import { type Path, valueAt } from '../../../base/path.ts';
import { isNumber, nearestNumber } from '../../../base/raw-number.ts';
import type { ValueFix } from '../../../tasks/change.ts';
import { error, type Problem, warning } from '../../../tasks/problem.ts';
import { kindOf } from '../../../tasks/rows.ts';
import type { RuleCode } from '../../../tasks/rules/rules.ts';
import { asText, changeTo, removal, suggestKey } from '../../../tasks/value-fixes.ts';
import { TYPE_NAMES } from '../arguments.ts';

/**
 * HUD's models are written in pydantic. These schemas reject what its lax mode rejects: `"2"`, `2.0` and `true` are
 * valid integers, `"yes"` is true, and a number is never a text. A required value is described (`describe`), for the
 * message that it is missing.
 */

/** What a schema of our own adds to its issue, in `params`. */
export interface IssueDetails {
  /** The type that the value must have. */
  readonly expected?: string;
  /** The keys of the object, if the value is that of an unknown key, and whether HUD rejects or ignores it. */
  readonly keys?: { readonly valid: readonly string[]; readonly extra: 'rejected' | 'ignored' };
  /** `wrong-value` by default. */
  readonly code?: RuleCode;
  /** Instead of the removal of the value. */
  readonly fixes?: (path: Path, value: Json) => Problem['fixes'];
}

/** The details of a required value, which is not to be removed. */
export const REQUIRED = { fixes: () => undefined } satisfies IssueDetails;

export const anyObject = z.record(z.string(), z.unknown());

/** A text or list that must not be empty. */
export function nonEmpty<Schema extends z.ZodType<string | readonly string[]>>(
  schema: Schema,
  details: IssueDetails = {},
): Schema {
  return schema.refine(({ length }) => length > 0, { error: 'must not be empty', params: { ...details } });
}

export function requiredText(description: string): z.ZodString {
  return nonEmpty(z.string(), REQUIRED).describe(description);
}

export function ofType(expected: string, accepts: (value: Json) => boolean, fixes?: IssueDetails['fixes']) {
  return z.custom<Json>((value) => value !== undefined && accepts(value as Json), {
    params: { expected, ...defined({ fixes }) } satisfies IssueDetails,
  });
}

/** An integer that is greater than `above`. */
export function whole(above = Number.NEGATIVE_INFINITY) {
  return ofType('an integer', (value) => wholeNumber(value) !== null).refine(
    (value) => Number(wholeNumber(value)) > above,
    tooSmall(above),
  );
}

export const positiveNumber = ofType('a number', (value) => floatingNumber(value) !== null).refine(
  (value) => Number(floatingNumber(value)) > 0,
  tooSmall(0),
);

function tooSmall(above: number) {
  return { error: ({ input }: { input?: unknown }) => `must be greater than ${above}, found ${JSON.stringify(input)}` };
}

const FLAGS = new Set(['0', 'off', 'f', 'false', 'n', 'no', '1', 'on', 't', 'true', 'y', 'yes']);

export const flag = ofType(
  'true or false',
  (value) =>
    typeof value === 'boolean' ||
    value === 0 ||
    value === 1 ||
    (typeof value === 'string' && FLAGS.has(value.toLowerCase())),
);

/** An object with these keys. HUD rejects (pydantic's `extra="forbid"`) or ignores others, which is a warning. */
export function members<Shape extends z.ZodRawShape>(shape: Shape, extra: 'rejected' | 'ignored') {
  const params = { keys: { valid: Object.keys(shape), extra } } satisfies IssueDetails;
  return z.object(shape).catchall(z.custom<Json>(() => false, { params }));
}

/** The message of an issue is the one in our schema, or the description of a required value, or empty. */
const OPTIONS: z.core.ParseContext<z.core.$ZodIssue> = {
  reportInput: true,
  error: ({ inst }) => (inst === undefined ? undefined : z.globalRegistry.get(inst as z.ZodType)?.description) ?? '',
};

export function issuesOf(schema: z.ZodType, value: unknown): z.core.$ZodIssue[] {
  return schema.safeParse(value, OPTIONS).error?.issues ?? [];
}

/** What the model of a HUD release rejects in a row. */
export function modelProblems(model: z.ZodType, row: JsonObject, hud: string): Problem[] {
  return issuesOf(model, row)
    .flatMap(withoutUnions)
    .map((issue) => outsideText(problemOf(issue, row, hud), row));
}

/** A problem inside a JSON text has the range of the whole text. */
export function outsideText(problem: Problem, row: JsonObject): Problem {
  const length = problem.path.findIndex((_, index) => typeof valueAt(row, problem.path.slice(0, index)) === 'string');
  if (length === -1) return problem;
  const { fixes: _, part: __, ...rest } = problem;
  return { ...rest, path: problem.path.slice(0, length) };
}

/** The issues of the branch of a union that accepts the type of the value, or one issue that expects any of the types. */
function withoutUnions(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const branches = issue.errors.map((issues) => issues.flatMap(withoutUnions));
  const branch = branches.find((issues) =>
    issues.every((inner) => inner.path.length > 0 || expectedType(inner) === undefined),
  );
  if (branch !== undefined) return branch.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
  const expected = [...new Set(branches.flat().map(expectedType))].join(' or ');
  return [{ ...issue, code: 'custom', params: { expected } satisfies IssueDetails }];
}

function detailsOf(issue: z.core.$ZodIssue): IssueDetails {
  return issue.code === 'custom' ? (issue.params ?? {}) : {};
}

function expectedType(issue: z.core.$ZodIssue): string | undefined {
  return issue.code === 'invalid_type' ? (TYPE_NAMES[issue.expected] ?? issue.expected) : detailsOf(issue).expected;
}

function problemOf(issue: z.core.$ZodIssue, row: JsonObject, hud: string): Problem {
  const path = issue.path as Path;
  const { keys, code = 'wrong-value', fixes } = detailsOf(issue);
  const expected = expectedType(issue);
  if (keys !== undefined) return unknownKey(path, keys, row, hud);
  const value = issue.input as Json | undefined;
  if (value === undefined) return missingField(path, issue.message, hud);
  if (expected === undefined) {
    const repairs = fixes === undefined ? removalOf(path) : (fixes(path, value) ?? []);
    return error(code, path, `${nameOf(path)} ${issue.message} (${hud})`, ...repairs);
  }
  const repairs =
    fixes?.(path, value) ?? typeFixes(path, issue, value) ?? (issue.message === '' ? removalOf(path) : []);
  const message = `${nameOf(path)} must be ${expected} in ${hud}, found ${kindOf(value)}`;
  return error('wrong-type', path, message, ...repairs);
}

function missingField(path: Path, description: string, hud: string): Problem {
  const parent = path.slice(0, -1);
  const place = parent.length === 0 ? '' : ` in ${nameOf(parent)}`;
  const message = `${hud} requires "${path.at(-1)}"${place}: ${description}`;
  return error('missing-field', parent, message, ...removalOf(parent));
}

function removalOf(path: Path): ValueFix[] {
  return typeof path.at(-1) === 'string' ? [removal(path)] : [];
}

/** A repair of a value that only lacks its quotes or brackets. */
function typeFixes(path: Path, issue: z.core.$ZodIssue, value: Json): Problem['fixes'] {
  const expected = issue.code === 'invalid_type' ? issue.expected : undefined;
  const text = asText(value);
  if (expected === 'string') return text === undefined ? undefined : [changeTo(path, text)];
  if (expected === 'array' && value !== null && value !== '') return [changeTo(path, [value])];
  return expected === 'record' && value === null ? [changeTo(path, {})] : undefined;
}

function unknownKey(path: Path, keys: NonNullable<IssueDetails['keys']>, row: JsonObject, hud: string): Problem {
  const parent = path.slice(0, -1);
  const present = valueAt(row, parent);
  const { hint, fixes } = suggestKey(path, keys.valid, isObject(present) ? present : {});
  const message = `“${path.at(-1)}” is not a key of ${parent.join('.')}; ${hud}`;
  const problem =
    keys.extra === 'ignored'
      ? warning('unknown-key', path, `${message} ignores it${hint}`, ...fixes)
      : error(
          'unknown-key',
          path,
          `${message} rejects it${hint || `. Valid keys: ${keys.valid.join(', ')}`}`,
          ...fixes,
        );
  return { part: 'key', ...problem };
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
  if (isNumber(value)) return Number.isInteger(nearestNumber(value)) ? nearestNumber(value) : null;
  return typeof value === 'string' && WHOLE.test(value) ? Number(value.replaceAll('_', '')) : null;
}

function floatingNumber(value: Json): number | null {
  if (typeof value === 'boolean') return Number(value);
  if (isNumber(value)) return nearestNumber(value);
  if (typeof value !== 'string') return null;
  const digits = MISPLACED_UNDERSCORE.test(value) || !value.includes('_') ? value.trim() : value.replaceAll('_', '');
  if (FLOAT.test(digits)) return Number(digits);
  const special = NOT_FINITE.exec(value);
  if (special === null) return null;
  return special[2] !== undefined ? Number.NaN : special[1] === '-' ? -Infinity : Infinity;
}
