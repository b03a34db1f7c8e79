import type { UserFunctions } from '../../environments/user-functions.ts';
import { findBuiltin } from '../../functions/catalogue.ts';
import { userParameterText } from './docs.ts';

/** A parameter of a function, for display. */
export interface Parameter {
  readonly name: string;
  /** `currency?: string` */
  readonly label: string;
  readonly optional: boolean;
  readonly rest: boolean;
}

/**
 * The parameters of a function; null if they are not known. A user-defined function takes precedence over a built-in
 * one.
 */
export function parametersOf(name: string, own: UserFunctions): readonly Parameter[] | null {
  const signature = own.get(name);
  if (signature !== undefined) {
    return signature.parameters?.map((parameter) => ({ ...parameter, label: userParameterText(parameter) })) ?? null;
  }
  const declaration = findBuiltin(name);
  if (declaration === undefined || declaration.notRun === true) return null;
  return declaration.parameters.map((label) => ({
    name: label.replace(/\?$/, ''),
    label,
    optional: label.endsWith('?'),
    rest: false,
  }));
}

/**
 * The parameter of an argument. `press(key)` omits its first parameter.
 * @param count number of arguments
 */
export function parameterAt(parameters: readonly Parameter[], index: number, count: number): Parameter | undefined {
  const [first] = parameters;
  const requiredCount = parameters.filter(({ optional, rest }) => !optional && !rest).length;
  if (first?.optional === true && parameters[1]?.optional === false && count <= requiredCount) {
    return parameters[index + 1];
  }
  return parameters[index] ?? (parameters.at(-1)?.rest === true ? parameters.at(-1) : undefined);
}
