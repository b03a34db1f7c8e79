import type { ActionInput } from '../actions/action.ts';
import type { ActionDialect, NormalAction } from '../actions/normal.ts';
import { normaliseAction } from '../actions/normalise.ts';
import { printAction } from '../actions/print.ts';
import type { JsonObject } from '../base/json.ts';
import type { Acted, StepResult } from './environment.ts';

/** The maximum length of a printed action that is an object. */
const MAX_PRINTED_OBJECT = 300;

type StepError = StepResult['error'];

/** How an environment carries out actions. */
interface Handlers<Action> {
  /** Carries out one action, which is not a response. Resolves with the reason why it was not carried out, or null. */
  act(action: Action): Promise<StepError>;
  /** Called after each action; `action` is null for an input that cannot be read. */
  onActed?(input: ActionInput, action: NormalAction | null, error: StepError): void;
  /** Whether no more actions are carried out. */
  isOver?(): boolean;
}

interface ActionHandlers extends Handlers<NormalAction> {
  readonly dialect?: ActionDialect;
  /** The maximum length of a printed action. */
  readonly maxPrinted: number;
  /** What to add to the message about an input that cannot be read. */
  readonly hint?: string;
}

/** The outcome of the actions of a step. */
export interface ActionsOutcome {
  readonly acted: readonly Acted[];
  readonly response: string | null;
  /** The agent has reported that the task cannot be completed. */
  readonly infeasible: boolean;
  readonly error: StepError;
}

/** Carries out the actions of a step in order, until one fails or ends the run. */
export async function stepActions(inputs: readonly ActionInput[], handlers: ActionHandlers): Promise<ActionsOutcome> {
  const acted: Acted[] = [];
  let error: StepError = null;
  let response: string | null = null;
  let infeasible = false;
  const ends = (): boolean => error !== null || infeasible || handlers.isOver?.() === true;
  for (const input of inputs) {
    const { actions, failure } = normaliseAction(input, handlers.dialect);
    for (const action of actions) {
      acted.push({ action: printAction(action).slice(0, handlers.maxPrinted) });
      if (action.type === 'response') response = action.text;
      else if (action.type === 'infeasible') infeasible = true;
      else error = await handlers.act(action);
      handlers.onActed?.(input, action, error);
      if (ends()) break;
    }
    if (error === null && !infeasible && failure !== null) {
      error = { code: failure.code, message: `${failure.message}${handlers.hint ?? ''}` };
      handlers.onActed?.(input, null, error);
    }
    if (ends()) break;
  }
  return { acted, response, infeasible, error };
}

/** `stepActions` for an environment whose actions are JSON objects. */
export function stepObjects(
  inputs: readonly ActionInput[],
  { act, ...handlers }: Handlers<JsonObject>,
): Promise<ActionsOutcome> {
  return stepActions(inputs, {
    ...handlers,
    act: async (action) => (action.type === 'object' ? act(action.value) : null),
    dialect: { dialect: 'object' },
    maxPrinted: MAX_PRINTED_OBJECT,
    hint: ' Actions are JSON objects here, or response("…").',
  });
}
