import type { Observation, OpenDialog, StepResult } from '../../environment.ts';
import type { OpenTab } from '../pages/tabs.ts';
import type { PageOfStep } from '../recording/page-recorder.ts';

/** The observation of the active tab. */
export interface PageObservation {
  readonly open: OpenTab;
  readonly observation: Observation;
  /** When the screenshot was requested, in ms since 1970. It is at least as new. */
  readonly requestedAt: number;
  readonly title: string;
  readonly recording: PageOfStep;
  /** Milliseconds for the screenshot and for the text. */
  readonly picture: number;
  readonly text: number;
  /** Undefined if it was not requested; empty if the page is being replaced or does not answer. */
  readonly html: string | undefined;
  readonly error: StepResult['error'];
  /** The open dialog, which the page shows since then. */
  readonly dialog?: OpenDialog;
}
