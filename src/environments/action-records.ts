import type { ActionInput } from '../actions/action.ts';
import type { ActionRecord } from '../functions/declaration.ts';
import type { RecordedAction } from './recorded.ts';

/** The record of an action in an environment without elements. */
export function recordAction(
  input: ActionInput,
  normalised: ActionRecord['normalised'],
  error: string | null,
): ActionRecord {
  return { input, normalised, error, typed: null, matches: async () => false };
}

/** The actions of a recorded run, without the elements that they acted on. */
export function restoreActions(actions: readonly RecordedAction[]): ActionRecord[] {
  return actions.map(({ input, normalised, error, typed }) => ({ ...recordAction(input, normalised, error), typed }));
}
