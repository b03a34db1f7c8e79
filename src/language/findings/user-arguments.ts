import type { Json } from '../../base/json.ts';
import type { UserParameter, UserSignature } from '../../functions/user/names.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import type { Problem } from '../../tasks/problem.ts';
import { kindOf } from '../../tasks/rows.ts';
import { argumentCount, nameOf } from './arguments.ts';

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
    problems.push({
      ...nameOf(call),
      about: call.path,
      severity: severityOf(own, missing),
      code: 'missing-argument',
      message: `${signature}: “${missing.name}” is missing, found ${argumentCount(count)}`,
    });
  }
  if (count > parameters.length && parameters.at(-1)?.rest !== true) {
    const first = parameters.length;
    problems.push({
      path: call.argPaths[first] ?? call.path,
      severity: severityOf(own, parameters[0]),
      code: 'too-many-arguments',
      message: `${signature} accepts ${argumentCount(first)}, found ${count}`,
    });
  }
  for (const [index, parameter] of parameters.entries()) {
    const arg = call.args[index];
    if (arg === undefined || parameter.rest || fits(arg, parameter)) continue;
    problems.push({
      path: call.argPaths[index] ?? call.path,
      severity: 'error',
      code: 'invalid-argument',
      message: `${signature}: “${parameter.name}” expects ${WORDS[parameter.type ?? ''] ?? parameter.type}, found ${kindOf(arg)}`,
    });
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
  if (optional && value === null) return true;
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    case 'string[]':
    case 'number[]': {
      const item = type.slice(0, -2);
      return Array.isArray(value) && value.every((one) => typeof one === item);
    }
    default:
      return true;
  }
}
