import type { ActionRecord } from '../../../functions/declaration.ts';
import { actedOnOf } from '../../../functions/meaning.ts';
import type { Call } from '../../../tasks/task.ts';
import type { RecordedAction } from '../../recorded.ts';
import { needsWholePage, type PastElements } from './past-elements.ts';

/** Whether an evaluate call needs the whole page to match the elements that were acted on. */
export function needsRecordedPages(calls: readonly Call[]): boolean {
  return calls.some((call) => {
    const selector = actedOnOf(call);
    return selector !== null && needsWholePage(selector);
  });
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
