import type { ActionInput } from '../../../actions/action.ts';
import type { NormalAction } from '../../../actions/normal.ts';
import { printInputs } from '../../../actions/print-input.ts';
import { defined } from '../../../base/defined.ts';
import type { Acted, StepResult } from '../../environment.ts';
import type { RecordedAction } from '../../recorded.ts';
import type { EarlyScreenshot } from '../observing/observe-page.ts';
import type { SessionState } from '../pages/session-state.ts';
import { toActionRecord } from '../recording/action-records.ts';
import type { ActionOutcome } from './action-context.ts';

/** The results of one step's actions. */
export interface Turn {
  readonly acted: Acted[];
  error: StepResult['error'];
  response?: string;
  terminated: boolean;
  /** Texts that were typed into password fields, and the fields' values. */
  secrets?: string[];
  /** The recorded actions, for re-scoring. */
  recordedActions: RecordedAction[];
  /** Milliseconds for the actions, and for waiting until the page settled. */
  action: number;
  settle: number;
  /** A screenshot from right after the last action, if the page has not changed since. */
  early?: EarlyScreenshot;
}

export function newTurn(): Turn {
  return { acted: [], error: null, terminated: false, recordedActions: [], action: 0, settle: 0 };
}

/** The actions of a turn as action strings. Invalid actions are printed as they are. */
export function printTurn({ acted }: Turn, actions: readonly ActionInput[]): string {
  return (acted.length > 0 ? acted.map(({ action }) => action) : printInputs(actions)).join('\n');
}

/** Records an action for evaluate functions and for re-scoring. */
export function recordAction(
  state: SessionState,
  turn: Turn,
  input: ActionInput,
  normalised: NormalAction | null,
  { typed, elementRecord }: Pick<ActionOutcome, 'typed' | 'elementRecord'>,
): void {
  const element = elementRecord && { chain: [...elementRecord.facts.chain], ...defined({ page: elementRecord.page }) };
  const recordedAction = { input, normalised, error: turn.error?.message ?? null, typed, element };
  state.records.push(toActionRecord(recordedAction, state.pastElements, () => state.recorder.resources));
  turn.recordedActions.push(recordedAction);
}
