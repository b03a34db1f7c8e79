import type { JsonObject } from '../base/json.ts';
import type { ActionInput } from './action.ts';
import { readCla } from './cla.ts';
import { EXACT_INTEGERS, integersOutOfRange } from './exact-integers.ts';
import type { ActionDialect, NormalisedActions } from './normal.ts';
import { parseActions } from './strings.ts';

const OWN: ActionDialect = { dialect: 'own' };

/** What is wrong with an action that is an object. */
export interface ActionProblem {
  /** Path in the object. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Converts an agent's action, in any spelling, to the forms that environments execute. Never throws. */
export function normaliseAction(input: ActionInput, dialect: ActionDialect = OWN): NormalisedActions {
  if (typeof input === 'string') return parseActions(input, dialect);
  if (!isOwnForm(input, dialect)) return readCla(input);
  const problem = ownFormProblem(input as JsonObject);
  if (problem === null) return { actions: [{ type: 'object', value: input as JsonObject }], failure: null };
  const message = `${problem.path.join('.')}: ${problem.message}`;
  return { actions: [], failure: { code: 'invalid_action', message } };
}

/** Whether an object is an action in the environment's own form. A call of a tool has a `name`, and may have any `type`. */
export function isOwnForm(input: Exclude<ActionInput, string>, { dialect }: ActionDialect): boolean {
  if (dialect === 'object') return !isResponse(input);
  return dialect === 'mixed' && (typeof input['type'] !== 'string' || input['name'] !== undefined);
}

/** Only CLA's own form, so that an environment whose actions are of a type `response` can tell its own apart. */
function isResponse(input: Exclude<ActionInput, string>): boolean {
  const { type, text, ...rest } = input;
  return type === 'response' && typeof text === 'string' && Object.keys(rest).length === 0;
}

/** Why an action in the environment's own form would not reach it as it was written; null if it would. */
export function ownFormProblem(input: JsonObject): ActionProblem | null {
  const [path] = integersOutOfRange(input);
  return path === undefined ? null : { path, message: EXACT_INTEGERS };
}
