import type { ActionInput } from '../actions/action.ts';
import type { NormalAction } from '../actions/normal.ts';
import { normaliseAction } from '../actions/normalise.ts';
import { printAction } from '../actions/print.ts';
import type { JsonObject } from '../base/json.ts';
import type { Acted, StepResult } from './environment.ts';

/** Longer actions are cut where they are listed. */
const MAX_PRINTED = 300;
const DIALECT = { dialect: 'object' } as const;

type StepError = StepResult['error'];

/** What an environment does with actions that are JSON objects. */
export interface ObjectActions {
  /** Carries out one action. Resolves with the reason why it was not carried out, or null. */
  act(value: JsonObject): Promise<StepError>;
  /** Called after each action; `action` is null for an input that is none. */
  onActed?(input: ActionInput, action: NormalAction | null, error: StepError): void;
  /** Whether no more actions are carried out. */
  isOver?(): boolean;
}

/** What the actions of a step came to. */
export interface SteppedObjects {
  readonly acted: readonly Acted[];
  readonly response: string | null;
  /** The agent has declared that there is no answer. */
  readonly infeasible: boolean;
  readonly error: StepError;
}

/** Carries out the actions of a step in order, until one fails or ends the run. */
export async function stepObjects(inputs: readonly ActionInput[], actions: ObjectActions): Promise<SteppedObjects> {
  const acted: Acted[] = [];
  let error: StepError = null;
  let response: string | null = null;
  let infeasible = false;
  const ends = (): boolean => error !== null || infeasible || actions.isOver?.() === true;
  for (const input of inputs) {
    const { actions: normalised, failure } = normaliseAction(input, DIALECT);
    for (const action of normalised) {
      acted.push({ action: printAction(action).slice(0, MAX_PRINTED) });
      if (action.type === 'response') response = action.text;
      else if (action.type === 'infeasible') infeasible = true;
      else if (action.type === 'object') error = await actions.act(action.value);
      actions.onActed?.(input, action, error);
      if (ends()) break;
    }
    if (error === null && failure !== null) {
      error = { code: failure.code, message: `${failure.message} Actions are JSON objects here, or response("…").` };
      actions.onActed?.(input, null, error);
    }
    if (ends()) break;
  }
  return { acted, response, infeasible, error };
}
