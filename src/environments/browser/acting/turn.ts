import type { ActionInput } from '../../../actions/action.ts';
import type { NormalAction } from '../../../actions/normal.ts';
import type { Acted, StepResult } from '../../environment.ts';
import type { RecordedAction } from '../../recorded.ts';
import type { EarlyScreenshot } from '../observing/observe-page.ts';
import type { SessionState } from '../pages/session-state.ts';
import { asRecord, type Outcome, recordable } from '../recording/action-records.ts';

/** What one turn of acting came to. */
export interface Turn {
  readonly acted: Acted[];
  error: StepResult['error'];
  response?: string;
  terminated: boolean;
  /** What was typed into password fields, and what they hold since. */
  secrets?: string[];
  /** What its actions did, for being judged again. */
  recorded: RecordedAction[];
  /** Milliseconds spent acting, and waiting for the page to settle. */
  action: number;
  settle: number;
  /** A picture taken right after the last action, where the page did not change any more after that. */
  early?: EarlyScreenshot;
}

export function newTurn(): Turn {
  return { acted: [], error: null, terminated: false, recorded: [], action: 0, settle: 0 };
}

/** Keeps what an action came to, for evaluate functions now and later. */
export function keep(
  state: SessionState,
  turn: Turn,
  input: ActionInput,
  action: NormalAction | null,
  outcome: Outcome,
): void {
  const recorded = recordable(input, action, outcome);
  state.records.push(asRecord(recorded, state.pastElements, () => state.recorder.resources));
  turn.recorded.push(recorded);
}
