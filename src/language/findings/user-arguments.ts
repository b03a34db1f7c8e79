import type { Json } from '../../base/json.ts';
import { nearestNumbers } from '../../base/raw-numbers-in.ts';
import type { UserParameter, UserSignature } from '../../functions/user/names.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import { error, newProblem, type Problem } from '../../tasks/problem.ts';
import { kindOf } from '../../tasks/rows.ts';
import { argumentCount, nameProblem } from './arguments.ts';

/**
 * Problems in the arguments of a user-defined function, based on its source: nothing is executed. Anything that the
 * source does not state explicitly is accepted.
 */
export function userArgumentProblems(call: ReadCall, own: UserSignature): Problem[] {
  const { parameters } = own;
  if (parameters === null) return [];
  const count = call.args.length;
  const signature = `${own.name}(${parameters.map(({ name, optional, rest }) => (rest ? `...${name}` : optional ? `${name}?` : name)).join(', ')})`;
  const problems: Problem[] = [];
  const missing = parameters[count];
  if (missing !== undefined && !missing.optional && !missing.rest) {
    const message = `${signature}: “${missing.name}” is missing, found ${argumentCount(count)}`;
    const problem = nameProblem(severityOf(own, missing), 'missing-argument', call, message);
    problems.push({ about: call.path, ...problem });
  }
  if (count > parameters.length && parameters.at(-1)?.rest !== true) {
    const first = parameters.length;
    const message = `${signature} accepts ${argumentCount(first)}, found ${count}`;
    const path = call.argPaths[first] ?? call.path;
    problems.push(newProblem(severityOf(own, parameters[0]), 'too-many-arguments', path, message));
  }
  for (const [index, parameter] of parameters.entries()) {
    const arg = call.args[index];
    if (arg === undefined || parameter.rest || fits(nearestNumbers(arg), parameter)) continue;
    const message = `${signature}: “${parameter.name}” expects ${WORDS[parameter.type ?? ''] ?? parameter.type}, found ${kindOf(arg)}`;
    problems.push(error('invalid-argument', call.argPaths[index] ?? call.path, message));
  }
  return problems;
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  'string[]': 'a list of strings',
  'number[]': 'a list of numbers',
};

/** JavaScript accepts any number of arguments; the number is an error only if the types are declared. */
function severityOf({ file }: UserSignature, parameter: UserParameter | undefined): 'error' | 'warning' {
  return file.endsWith('.ts') || (parameter?.type ?? null) !== null ? 'error' : 'warning';
}

function fits(value: Json, { type, optional }: UserParameter): boolean {
  if (type === null || !Object.hasOwn(WORDS, type) || (optional && value === null)) return true;
  if (!type.endsWith('[]')) return typeof value === type;
  return Array.isArray(value) && value.every((item) => `${typeof item}[]` === type);
}
