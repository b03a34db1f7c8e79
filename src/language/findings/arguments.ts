import type * as z from 'zod';
import type { FunctionDeclaration } from '../../functions/declaration.ts';
import { patternProblem } from '../../functions/pattern.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import type { Problem } from '../../tasks/problem.ts';
import { kindOf } from '../../tasks/rows.ts';
import type { Json } from '../../tasks/task.ts';

type Issue = z.core.$ZodIssue;
type Declaration = Pick<FunctionDeclaration, 'name' | 'args' | 'parameters'>;

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** What is wrong with the arguments of a call, judged by the one declaration of its function. */
export function argumentProblems(call: ReadCall, declaration: Declaration): Problem[] {
  const parsed = declaration.args.safeParse(call.args);
  if (!parsed.success) {
    const [issue] = narrowed(parsed.error.issues);
    return issue === undefined ? [] : [argumentProblem(issue, call, declaration)];
  }
  return untranslatablePatterns(call, declaration);
}

/** `text_matches(selector, pattern)` */
function signatureOf(declaration: Declaration, name: string = declaration.name): string {
  return `${name}(${declaration.parameters.join(', ')})`;
}

/** Of several ways to call a function, the issues of the one that was meant: begun rightly, or as many arguments as the call. */
function narrowed(issues: readonly Issue[]): readonly Issue[] {
  const [first] = issues;
  if (first?.code !== 'invalid_union' || first.path.length > 0) return issues;
  const begun = first.errors.find((branch) => branch.length > 0 && branch.every(({ code }) => code === 'too_small'));
  if (begun?.every(isCount)) return begun;
  const fitting = first.errors.find((branch) => branch.length > 0 && !branch.some(isCount));
  return fitting ?? issues;
}

function isCount(issue: Issue): boolean {
  return issue.path.length === 0 && (issue.code === 'too_small' || issue.code === 'too_big');
}

function argumentProblem(issue: Issue, call: ReadCall, declaration: Declaration): Problem {
  const signature = signatureOf(declaration, call.function);
  const index = issue.path[0];
  if (typeof index !== 'number') {
    const given = call.args.length;
    const counts = given === 1 ? '1 argument' : `${given} arguments`;
    const needed = declaration.parameters.filter((name) => !name.endsWith('?')).length;
    const superfluous = issue.code === 'too_big' ? call.argPaths[declaration.parameters.length] : undefined;
    const missing = issue.code === 'too_small' ? declaration.parameters[given] : undefined;
    const hint =
      issue.code === 'too_big' && declaration.args.safeParse([call.args]).success
        ? `. Several values are one list: ${call.function}(${JSON.stringify(call.args)})`
        : '';
    const said =
      superfluous !== undefined
        ? `takes ${declaration.parameters.length === 0 ? 'no arguments' : `at most ${declaration.parameters.length}`}, found ${counts}${hint}`
        : missing !== undefined
          ? `needs ${needed === 1 ? '1 argument' : `${needed} arguments`}, found ${given === 0 ? 'none' : counts}: “${missing}” is missing`
          : `${issue.message}, found ${given === 0 ? 'none' : counts}`;
    return {
      path: superfluous ?? call.path,
      severity: 'error',
      code:
        superfluous === undefined
          ? missing === undefined
            ? 'invalid-argument'
            : 'missing-argument'
          : 'too-many-arguments',
      message: `${signature} ${said}`,
    };
  }
  const parameter = (declaration.parameters[index] ?? `argument ${index + 1}`).replace(/\?$/, '');
  const rest = issue.path.slice(1).filter((step) => typeof step !== 'symbol');
  const found = valueAt(call.args[index], rest);
  const inner = rest.length === 0 ? '' : ` (${rest.join('.')})`;
  const [code, said] = described(issue, parameter, found);
  return {
    path: [...(call.argPaths[index] ?? call.path), ...rest],
    severity: 'error',
    code,
    message: `${signature}: “${parameter}”${inner} ${said}`,
  };
}

function described(issue: Issue, parameter: string, found: Json | undefined): readonly [code: string, said: string] {
  const shown = show(found);
  if (issue.code === 'custom' && typeof found === 'string') {
    if (parameter === 'selector') return ['invalid-selector', `${shown} cannot be read: ${issue.message}`];
    if (parameter === 'pattern' || parameter === 'value') return ['invalid-pattern', `${shown}: ${issue.message}`];
  }
  if (issue.code === 'invalid_type') {
    const expected = EXPECTED[issue.expected] ?? issue.expected;
    return ['invalid-argument', `expects ${expected}, found ${shown}`];
  }
  if (issue.code === 'unrecognized_keys') {
    return ['invalid-argument', `has an unknown key: ${issue.keys.join(', ')}`];
  }
  if (issue.code === 'too_small') {
    const least = issue.origin === 'string' ? 'is empty' : `expects at least ${issue.minimum}`;
    return ['invalid-argument', `${least}, found ${shown}`];
  }
  const message = issue.message.replace(/^expected /, 'expects ').replace(/^Invalid input$/, 'has the wrong form');
  return ['invalid-argument', `${message}, found ${shown}`];
}

/** Patterns that Python reads and JavaScript cannot say: the call would fail when it runs. */
function untranslatablePatterns(call: ReadCall, declaration: Declaration): Problem[] {
  const problems: Problem[] = [];
  for (const [index, name] of declaration.parameters.entries()) {
    const text = call.args[index];
    if (!/^pattern\??$/.test(name) || typeof text !== 'string') continue;
    const found = patternProblem(text);
    if (found?.problem !== 'untranslatable') continue;
    problems.push({
      path: call.argPaths[index] ?? call.path,
      severity: 'warning',
      code: 'pattern-untranslatable',
      message: `${signatureOf(declaration, call.function)}: ${found.message}`,
    });
  }
  return problems;
}

function valueAt(value: Json | undefined, path: readonly PropertyKey[]): Json | undefined {
  let found: unknown = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Readonly<Record<PropertyKey, unknown>>)[step];
  }
  return found as Json | undefined;
}

function show(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : kindOf(value);
}
