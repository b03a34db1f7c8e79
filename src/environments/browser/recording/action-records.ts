import type { ActionInput } from '../../../actions/action.ts';
import type { NormalAction } from '../../../actions/normal.ts';
import { defined } from '../../../base/defined.ts';
import type { ActionRecord } from '../../../functions/declaration.ts';
import { actedOnOf } from '../../../functions/meaning.ts';
import type { Call } from '../../../tasks/task.ts';
import type { PastElement, RecordedAction } from '../../recorded.ts';
import type { ElementRecord } from '../acting/elements.ts';
import { needsWholePage, type PastElements } from './past-elements.ts';

/** Whether an evaluate call needs the whole page to match the elements that were acted on. */
export function needsRecordedPages(calls: readonly Call[]): boolean {
  return calls.some((call) => {
    const selector = actedOnOf(call);
    return selector !== null && needsWholePage(selector);
  });
}

function toPastElement({ facts: { chain }, page }: ElementRecord): PastElement {
  return { chain: [...chain], ...defined({ page }) };
}

/** The outcome of an action. */
export interface Outcome {
  readonly error: string | null;
  readonly typed: string | null;
  readonly elementRecord: ElementRecord | null;
}

/** The record of an action. */
export function toRecordedAction(
  input: ActionInput,
  normalised: NormalAction | null,
  { error, typed, elementRecord }: Outcome,
): RecordedAction {
  return { input, normalised, error, typed, element: elementRecord && toPastElement(elementRecord) };
}

/** A recorded action as evaluate functions see it. `resources`: resources of recorded pages, by hash. */
export function toActionRecord(
  { element, ...action }: RecordedAction,
  pastElements: PastElements,
  resources: () => Readonly<Record<string, Uint8Array>>,
): ActionRecord {
  return {
    ...action,
    matches: async (selector) => element !== null && pastElements.matches(element, selector, resources()),
  };
}
