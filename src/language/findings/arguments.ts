import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import { didYouMean, nearestWord } from '../../base/nearest.ts';
import { type Path, valueAt } from '../../base/path.ts';
import { isNumber } from '../../base/raw-number.ts';
import { nearestNumbers } from '../../base/raw-numbers-in.ts';
import type { EvaluateDeclaration, FunctionDeclaration } from '../../functions/declaration.ts';
import { hasNestedRepeats, patternProblem } from '../../functions/pattern.ts';
import { unknownRole } from '../../functions/selector.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import type { Change, ValueFix } from '../../tasks/change.ts';
import { error, newProblem, type Problem, warning } from '../../tasks/problem.ts';
import { kindOf } from '../../tasks/rows.ts';
import type { RuleCode } from '../../tasks/rules/rules.ts';
import type { Severity } from '../../tasks/severity.ts';
import { asText, changeTo, removal } from '../../tasks/value-fixes.ts';

type Issue = z.core.$ZodIssue;
type Declaration = Pick<FunctionDeclaration, 'name' | 'args' | 'parameters'> &
  Partial<Pick<EvaluateDeclaration, 'reads'>>;

/** Names of zod's types in messages. */
export const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** Problems in the arguments of a call, checked against the declaration of its function. */
export function argumentProblems(call: ReadCall, declaration: Declaration): Problem[] {
  // A number of any size is a number.
  const args = call.args.map(nearestNumbers);
  const result = declaration.args.safeParse(args);
  if (result.success) return [...patternProblems(call, declaration), ...roleProblems(call, declaration)];
  const problems = new Map<string, Problem>();
  const issues = allIssues(result.error.issues, declaration.args, args).flatMap(innerIssues);
  for (const issue of issues) {
    // A misspelled key causes other issues of its object.
    if (issue.code === 'custom' && issues.some((other) => isUnknownKey(other) && samePath(other, issue))) continue;
    const problem = argumentProblem(issue, call, declaration);
    const key = JSON.stringify([problem.path, problem.part, problem.word]);
    if (!problems.has(key)) problems.set(key, problem);
  }
  return [...problems.values()];
}

function isUnknownKey({ code }: Issue): boolean {
  return code === 'unrecognized_keys';
}

function samePath(a: Issue, b: Issue): boolean {
  return a.path.length === b.path.length && a.path.every((step, index) => step === b.path[index]);
}

/** A problem with the name of the function of a call. */
export function nameProblem(
  severity: Severity,
  code: RuleCode,
  { text, namePath, function: name }: ReadCall,
  message: string,
  ...fixes: readonly ValueFix[]
): Problem {
  const problem = newProblem(severity, code, namePath, message, ...fixes);
  return text === undefined ? problem : { ...problem, word: name };
}

/** `no arguments`, `1 argument`, `2 arguments` */
export function argumentCount(count: number): string {
  if (count === 0) return 'no arguments';
  return count === 1 ? '1 argument' : `${count} arguments`;
}

/** `text_matches(selector, pattern)` */
export function signatureText({ parameters, name }: Pick<Declaration, 'parameters' | 'name'>, alias = name): string {
  return `${alias}(${parameters.join(', ')})`;
}

/** The issues of a call, including those of arguments that zod does not check if the number of arguments is wrong. */
function allIssues(issues: readonly Issue[], schema: z.ZodType, args: readonly Json[]): readonly Issue[] {
  const signature = intendedSignature(issues, schema);
  if (!(signature.schema instanceof z.ZodTuple) || !signature.issues.some(isCount)) return signature.issues;
  const items: readonly z.core.$ZodType[] = signature.schema.def.items;
  const inItems = args.flatMap((arg, index) => {
    const item = items[index];
    const itemIssues = item === undefined ? undefined : z.safeParse(item, arg).error?.issues;
    return (itemIssues ?? []).map((issue): Issue => ({ ...issue, path: [index, ...issue.path] }));
  });
  return [...signature.issues, ...inItems];
}

/** If a function has several signatures, the intended one has a valid start, or as many arguments as the call. */
function intendedSignature(
  issues: readonly Issue[],
  schema: z.ZodType,
): { readonly issues: readonly Issue[]; readonly schema: unknown } {
  const [first] = issues;
  if (first?.code !== 'invalid_union' || first.path.length > 0) return { issues, schema };
  const { errors } = first;
  const incomplete = errors.findIndex(
    (branch) => branch.length > 0 && branch.every(({ code }) => code === 'too_small'),
  );
  const matching = errors[incomplete]?.every(isCount) === true ? incomplete : -1;
  const index = matching !== -1 ? matching : errors.findIndex((branch) => branch.length > 0 && !branch.some(isCount));
  const branch = errors[index];
  if (branch === undefined) return { issues, schema: null };
  return { issues: branch, schema: schema instanceof z.ZodUnion ? schema.def.options[index] : null };
}

/** If an argument has several forms, the issues of the form that was used: in a list, those of the items. */
function innerIssues(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.path.length === 0) return [issue];
  const branches = issue.errors.filter(
    (branch) => !branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  const inner = branches.length === 1 ? (branches[0] ?? []) : [];
  if (inner.length === 0) return [issue];
  return inner.flatMap((one) => innerIssues({ ...one, path: [...issue.path, ...one.path] } as Issue));
}

function isCount(issue: Issue): boolean {
  return issue.path.length === 0 && (issue.code === 'too_small' || issue.code === 'too_big');
}

function argumentProblem(issue: Issue, call: ReadCall, declaration: Declaration): Problem {
  const signature = signatureText(declaration, call.function);
  const index = issue.path[0];
  // Before a rest parameter, a missing argument is reported at its position.
  if (typeof index !== 'number' || index >= call.args.length) return countProblem(issue, call, declaration);
  const parameter = (declaration.parameters[index] ?? `argument ${index + 1}`).replace(/\?$/, '');
  const rest = issue.path.slice(1).filter((step) => typeof step !== 'symbol');
  const value = valueAt(call.args[index], rest) as Json | undefined;
  const inner = rest.length === 0 ? '' : ` (${rest.join('.')})`;
  const [code, fault] = faultOf(issue, parameter, value);
  const arg = call.argPaths[index] ?? call.path;
  const path = call.text === undefined ? [...arg, ...rest] : arg;
  const fixes = call.text === undefined ? fixesOf(issue, path, value) : [];
  const [onlyKey] = issue.code === 'unrecognized_keys' && call.text === undefined ? issue.keys : [];
  const message = `${signature}: “${parameter}”${inner} ${fault}`;
  if (onlyKey !== undefined) return { part: 'key', ...error(code, [...path, onlyKey], message, ...fixes) };
  const word = call.text !== undefined && typeof value === 'string' ? value : undefined;
  return { ...error(code, path, message, ...fixes), ...defined({ word }) };
}

function countProblem(issue: Issue, call: ReadCall, declaration: Declaration): Problem {
  const { args, argPaths, text } = call;
  const { parameters } = declaration;
  const counts = args.length === 0 ? 'none' : argumentCount(args.length);
  const problemOf = (code: RuleCode, message: string): Problem => {
    return { about: call.path, ...nameProblem('error', code, call, message) };
  };
  const signature = signatureText(declaration, call.function);
  const tooFew = issue.code === 'too_small' || issue.path.length > 0;
  const missing = tooFew ? parameters[args.length] : undefined;
  if (missing !== undefined) {
    const requiredCount = parameters.filter((name) => !name.endsWith('?')).length;
    const message = `${signature} requires ${argumentCount(requiredCount)}, found ${counts}: “${missing}” is missing`;
    return problemOf('missing-argument', message);
  }
  const superfluous = issue.code === 'too_big' ? argPaths[parameters.length] : undefined;
  if (superfluous === undefined) {
    return problemOf('invalid-argument', `${signature} ${issue.message}, found ${counts}`);
  }
  const asList = declaration.args.safeParse([args]).success;
  const takes = parameters.length === 0 ? 'no arguments' : `at most ${parameters.length}`;
  const hint = asList ? `. To pass several values, use a list: ${call.function}(${JSON.stringify(args)})` : '';
  const message = `${signature} accepts ${takes}, found ${counts}${hint}`;
  if (text !== undefined) return problemOf('too-many-arguments', message);
  const fix = asList ? oneList(call) : withoutMore(call, parameters.length);
  return { about: superfluous, ...error('too-many-arguments', superfluous, message, fix) };
}

function oneList({ path, namePath, function: name, args }: ReadCall): ValueFix {
  const change: Change =
    namePath.at(-1) === 'function'
      ? { set: [...path, 'args'], value: [[...args]] }
      : { set: path, value: [name, [...args]] };
  return { title: 'Combine the values in a list', changes: [change] };
}

function withoutMore({ argPaths }: ReadCall, most: number): ValueFix {
  const changes = argPaths.slice(most).map((path) => ({ remove: path }));
  return {
    title: changes.length === 1 ? 'Remove this argument' : 'Remove the extra arguments',
    changes: changes.reverse(),
  };
}

/** The value converted to the expected type, or the nearest allowed word. */
function fixesOf(issue: Issue, path: Path, actual: Json | undefined): ValueFix[] {
  const [conversion] = expectedTypes(issue).flatMap((type) => convert(actual, type) ?? []);
  const replacement = nearestChoice(issue, actual) ?? conversion;
  if (replacement !== undefined) return [changeTo(path, replacement)];
  if (issue.code !== 'unrecognized_keys') return [];
  return issue.keys.map((key) => removal([...path, key]));
}

/** The types that the value itself can have. */
function expectedTypes(issue: Issue): string[] {
  if (issue.code === 'invalid_type') return [issue.expected];
  if (issue.code !== 'invalid_union') return [];
  return issue.errors.flatMap((branch) => branch.filter(({ path }) => path.length === 0).flatMap(expectedTypes));
}

function nearestChoice(issue: Issue, value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const choices: unknown =
    issue.code === 'invalid_value' ? issue.values : issue.code === 'custom' ? issue.params?.['choices'] : undefined;
  const words = Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'string') : [];
  return nearestWord(value, words) ?? undefined;
}

function convert(value: Json | undefined, type: string): Json | undefined {
  if (type === 'string') return value === undefined ? undefined : asText(value);
  if (type === 'array') return typeof value === 'string' || isNumber(value) ? [value] : undefined;
  if (typeof value !== 'string') return undefined;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : undefined;
  if (type !== 'number' && type !== 'int') return undefined;
  return /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function faultOf(issue: Issue, parameter: string, value: Json | undefined): readonly [code: RuleCode, said: string] {
  const valueText = show(value);
  if (issue.code === 'custom' && typeof value === 'string') {
    if (parameter === 'selector') return ['invalid-selector', `${valueText} is invalid: ${issue.message}`];
    if (parameter === 'pattern' || parameter === 'value') return ['invalid-pattern', `${valueText}: ${issue.message}`];
  }
  if (issue.code === 'invalid_type') {
    const type = TYPE_NAMES[issue.expected] ?? issue.expected;
    return ['invalid-argument', `expects ${type}, found ${valueText}`];
  }
  if (issue.code === 'unrecognized_keys') {
    return ['invalid-argument', `has an unknown key: ${issue.keys.join(', ')}`];
  }
  if (issue.code === 'too_small') {
    const least = issue.origin === 'string' ? 'is empty' : `expects at least ${issue.minimum}`;
    return ['invalid-argument', `${least}, found ${valueText}`];
  }
  const near = nearestChoice(issue, value);
  if (near !== undefined) {
    const expectation =
      issue.code === 'custom' ? issue.message.replace(/^expected /, 'expects ') : 'has an invalid value';
    return ['invalid-argument', `${expectation}, found ${valueText}${didYouMean(near)}`];
  }
  const message = issue.message.replace(/^expected /, 'expects ').replace(/^Invalid input$/, 'has an invalid form');
  return ['invalid-argument', `${message}, found ${valueText}`];
}

/** Patterns that fail at run time, because JavaScript cannot express them, and those that include delimiters. */
function patternProblems(call: ReadCall, declaration: Declaration): Problem[] {
  const problems: Problem[] = [];
  for (const [index, name] of declaration.parameters.entries()) {
    const text = call.args[index];
    if (!/^pattern\??$/.test(name) || typeof text !== 'string') continue;
    const path = call.argPaths[index] ?? call.path;
    const pythonPattern = withoutDelimiters(text, declaration.reads?.includes('url') === true);
    if (pythonPattern !== null) {
      const message = `Python patterns have no delimiters: ${show(text)} also matches its slashes${/\w$/.test(text) ? ' and flags' : ''}. Write ${JSON.stringify(pythonPattern)}`;
      problems.push(
        call.text === undefined
          ? warning('pattern-delimiters', path, message, changeTo(path, pythonPattern))
          : { word: text, ...warning('pattern-delimiters', path, message) },
      );
      continue;
    }
    const fault = patternProblem(text);
    if (fault?.problem === 'untranslatable') {
      const message = `${signatureText(declaration, call.function)}: ${fault.message}`;
      problems.push(warning('pattern-untranslatable', path, message));
    } else if (hasNestedRepeats(text)) {
      const message = `A repeat in a repeat, as in ${show(text)}, can take longer than any time limit on a short text`;
      problems.push({ ...(call.text === undefined ? {} : { word: text }), ...warning('slow-pattern', path, message) });
    }
  }
  return problems;
}

/** Selectors of a role that does not exist, which never match. */
function roleProblems(call: ReadCall, declaration: Declaration): Problem[] {
  return declaration.parameters.flatMap((name, index) => {
    const text = call.args[index];
    const unknown = name === 'selector' && typeof text === 'string' ? unknownRole(text) : null;
    if (unknown === null) return [];
    const path = call.argPaths[index] ?? call.path;
    const { role, near } = unknown;
    const message = `No element has the role “${role}”${didYouMean(near)}`;
    const fixes = near === null || call.text !== undefined ? [] : [changeTo(path, String(text).replace(role, near))];
    return [{ word: role, ...warning('unknown-role', path, message, ...fixes) }];
  });
}

/**
 * The Python pattern for a JavaScript literal such as `/x/i`; null if the text is an ordinary pattern.
 * @param ofUrl whether it is a pattern of a URL
 */
function withoutDelimiters(text: string, ofUrl: boolean): string | null {
  const [, body, flags = ''] = /^\/(.+)\/([dgimsuvy]*)$/s.exec(text) ?? [];
  if (body === undefined) return null;
  // A path such as /shop/i is part of many addresses.
  const isPattern = /[\\^$.*+?()[\]{}|]/.test(body);
  if (!isPattern && (flags === '' || ofUrl)) return null;
  const pythonFlags = [...'ims'].filter((flag) => flags.includes(flag)).join('');
  return (pythonFlags === '' ? '' : `(?${pythonFlags})`) + body.replaceAll('\\/', '/');
}

function show(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : kindOf(value);
}
