import type { ActionInput } from '../../../actions/action.ts';
import type { NormalAction } from '../../../actions/normal.ts';
import { findBuiltin } from '../../../functions/catalogue.ts';
import type { ActionRecord } from '../../../functions/declaration.ts';
import type { Call } from '../../../tasks/task.ts';
import type { PastElement, RecordedAction } from '../../recorded.ts';
import type { Remembered } from '../acting/elements.ts';
import { needsWholePage, type Workbench } from './past-elements.ts';

/** Whether an evaluate call asks for the elements acted on in a way that needs the whole page. */
export function asksForWholePage(calls: readonly Call[]): boolean {
  return calls.some(({ function: name, args }) => {
    const declaration = findBuiltin(name);
    const read = declaration?.actedOn && declaration.args.safeParse(args);
    return read?.success === true && needsWholePage(declaration?.actedOn?.(...read.data) ?? '');
  });
}

function past({ facts: { chain }, page }: Remembered): PastElement {
  return { chain: [...chain], ...(page === undefined ? {} : { page }) };
}

/** What an action came to. */
export interface Outcome {
  readonly error: string | null;
  readonly typed: string | null;
  readonly remembered: Remembered | null;
}

/** One action as it is recorded, to be asked about later. */
export function recordable(
  input: ActionInput,
  normalised: NormalAction | null,
  { error, typed, remembered }: Outcome,
): RecordedAction {
  return { input, normalised, error, typed, element: remembered && past(remembered) };
}

/** A recorded action as evaluate functions see it. `resources`: what recorded pages refer to, by hash. */
export function asRecord(
  { element, ...action }: RecordedAction,
  workbench: Workbench,
  resources: () => Readonly<Record<string, Uint8Array>>,
): ActionRecord {
  return {
    ...action,
    matches: async (selector) => element !== null && workbench.matches(element, selector, resources()),
  };
}
