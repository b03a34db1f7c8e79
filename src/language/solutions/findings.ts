import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import * as z from 'zod';
import { locateCalls } from '../../actions/calls.ts';
import { CLA_TYPES, claFields, claProblem } from '../../actions/cla.ts';
import type { ActionDialect } from '../../actions/normal.ts';
import { isOwnForm, normaliseAction, ownFormProblem } from '../../actions/normalise.ts';
import { ACTION_FUNCTIONS, isActionFunction } from '../../actions/signatures.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { didYouMean, nearestWord } from '../../base/nearest.ts';
import type { Span } from '../../base/range.ts';
import { problemsBy } from '../../environments/schema-validator.ts';
import { LiteralError } from '../../python/literals.ts';
import type { Finding } from '../../tasks/finding.ts';
import { nearestNode, spanOf } from '../../tasks/formats/json/row.ts';
import type { RuleCode } from '../../tasks/rules/rules.ts';
import { actionLines } from './lines.ts';
import type { ActionSchema } from './object-actions.ts';

const typedSchema = z.looseObject({ type: z.string() });

/** A problem in a line and its location. */
interface LineProblem extends Span {
  readonly code: RuleCode;
  /** An error where absent. */
  readonly severity?: 'warning';
  readonly message: string;
  /** The nearest valid word. */
  readonly near?: string | null;
}

/**
 * Returns the problems of a solution: lines that are not actions, unknown functions, invalid arguments. Whether an
 * element exists is only known on the page.
 * @param file absolute path of the `.actions` file
 * @param dialect how the environment of its task reads actions
 * @param schema of an action, if the environment publishes one and it is known
 */
export function diagnoseSolution(
  file: string,
  text: string,
  dialect: ActionDialect = { dialect: 'own' },
  schema?: ActionSchema,
): Finding[] {
  const findings: Finding[] = [];
  const problemsOf = schema === undefined ? () => [] : problemsBy(schema, () => {});
  for (const { line, indent, text: action } of actionLines(text)) {
    const problem = action.startsWith('{') ? wrongObject(action, dialect, problemsOf) : wrongString(action, dialect);
    if (problem === null) continue;
    const { code, severity = 'error', message, near = null } = problem;
    const range = {
      start: { line, character: indent + problem.start },
      end: { line, character: indent + problem.end },
    };
    const finding: Finding = { file, range, severity, code, message };
    if (near !== null) {
      finding.fixes = () => [{ title: `Change to “${near}”`, edits: [{ range, text: near }], safe: false }];
    }
    findings.push(finding);
  }
  return findings;
}

function wrongString(action: string, dialect: ActionDialect): LineProblem | null {
  const { actions, failure } = normaliseAction(action, dialect);
  if (failure === null) return null;
  const whole = { start: 0, end: action.length };
  if (dialect.dialect === 'object' && failure.code !== 'invalid_action') {
    const message =
      'The actions of this environment are JSON objects. Only response("…") and report_infeasible("…") are calls';
    return { code: 'unknown-action', message, ...whole };
  }
  if (failure.code === 'empty_action') {
    const message = 'This line is not an action. Write one such as click("#buy"), or begin a comment with #';
    return { code: 'no-action', message, ...whole };
  }
  const calls = callsIn(action);
  const unknown = calls.find(({ call }) => !isActionFunction(call.name));
  if (unknown !== undefined) {
    const { name } = unknown.call;
    const near = nearestWord(name, ACTION_FUNCTIONS);
    const message = `Unknown action “${name}”${didYouMean(near)}`;
    return { code: 'unknown-action', message, start: unknown.start, end: unknown.start + name.length, near };
  }
  // The actions before the failed call are valid.
  const { start, end } = calls[actions.length] ?? whole;
  return { code: 'invalid-action', message: failure.message, start, end };
}

/** Empty if Python could not read a string in them. */
function callsIn(action: string): ReturnType<typeof locateCalls> {
  try {
    return locateCalls(action);
  } catch (error) {
    if (!(error instanceof LiteralError)) throw error;
    return [];
  }
}

function wrongObject(
  action: string,
  dialect: ActionDialect,
  problemsOf: ReturnType<typeof problemsBy>,
): LineProblem | null {
  const whole = { start: 0, end: action.length };
  let value: unknown;
  try {
    value = JSON.parse(action);
  } catch (error) {
    return { code: 'no-action', message: `Invalid JSON: ${(error as Error).message}`, ...whole };
  }
  // It begins with a brace.
  if (isOwnForm(value as Readonly<Record<string, unknown>>, dialect)) {
    if (isResponse(value)) return null;
    const formProblem = ownFormProblem(value as JsonObject);
    if (formProblem !== null) {
      return { code: 'invalid-action', message: formProblem.message, ...placeOf(action, formProblem.path) };
    }
    const [first] = problemsOf(value as Json);
    if (first === undefined) return null;
    const place = first.key === true ? keyPlaceOf(action, first.path) : placeOf(action, first.path);
    return { code: 'invalid-action', message: first.message, ...place };
  }
  const input = typedSchema.safeParse(value);
  if (!input.success) {
    return { code: 'invalid-action', message: 'An action requires a "type", such as {"type": "click"}', ...whole };
  }
  const object = input.data;
  const problem = claProblem(object);
  if (problem === null) return ignoredField(action, object);
  const { path, message, choices } = problem;
  const valuePlace = path.length === 0 ? undefined : placeOf(action, path);
  const source = valuePlace === undefined ? undefined : action.slice(valuePlace.start, valuePlace.end);
  const text = source?.startsWith('"') ? (JSON.parse(source) as string) : undefined;
  const near = text === undefined ? null : nearestWord(text, choices);
  // The fix inserts a word between the existing quotes.
  const place =
    valuePlace === undefined
      ? whole
      : near === null
        ? valuePlace
        : { start: valuePlace.start + 1, end: valuePlace.end - 1 };
  if (choices === CLA_TYPES) {
    const typeMessage = `Unknown action type “${object.type}”${didYouMean(near)}`;
    return { code: 'unknown-action', message: typeMessage, ...place, near };
  }
  const field = path.length === 0 ? '' : `${path.join('.')}: `;
  return { code: 'invalid-action', message: `${object.type}: ${field}${message}${didYouMean(near)}`, ...place, near };
}

/** A field that is misspelled or obsolete; the action ignores it. */
function ignoredField(
  action: string,
  object: Readonly<Record<string, unknown>> & { readonly type: string },
): LineProblem | null {
  const fields = claFields(object.type);
  const key = Object.keys(object).find((one) => !fields.includes(one));
  const place = key === undefined ? undefined : keyPlaceOf(action, [key]);
  if (key === undefined || place === undefined) return null;
  const absent = fields.filter((one) => !(one in object));
  const near = nearestWord(key, absent);
  const old =
    key === 'selector' ? ' (only HUD 0.2.0 read it); to click an element, use the action string click("#id")' : '';
  return {
    code: 'ignored-field',
    severity: 'warning',
    message: `“${key}” is not a field of ${object.type}; it is ignored, as in HUD 0.2.10${old}${didYouMean(near)}`,
    start: place.start + (near === null ? 0 : 1),
    end: place.end - (near === null ? 0 : 1),
    near,
  };
}

/** An answer is no action of the environment. */
function isResponse(value: unknown): boolean {
  return typedSchema.safeParse(value).data?.type === 'response';
}

/** Location of the key at a path. */
function keyPlaceOf(action: string, path: readonly string[]): Span {
  const key = findNodeAtLocation(parseTree(action) as Node, [...path])?.parent?.children?.[0];
  return spanOf(key ?? { offset: 0, length: action.length });
}

/** Location of the value at a path, or of the nearest enclosing value. */
function placeOf(action: string, path: readonly (string | number)[]): Span {
  return spanOf(nearestNode(parseTree(action) as Node, path));
}
