import { defined } from '../../../base/defined.ts';
import type { StepInfo, StepResult } from '../../environment.ts';
import type { Turn } from '../acting/turn.ts';
import type { SessionState } from '../pages/session-state.ts';
import type { PageObservation } from './page-observation.ts';

/** The result of a step: an observation with all messages and actions since the last one. */
export function stepResultOf(state: SessionState, pageObservation: PageObservation, turn?: Turn): StepResult {
  // Adds messages.
  const { downloads, contents } = state.downloads.take();
  const messages = state.messages.take();
  const { page, viewport } = pageObservation.open.tab;
  const info: StepInfo = {
    ...(turn && turn.acted.length > 0 ? { acted: turn.acted } : {}),
    ...(messages.length > 0 ? { messages } : {}),
    ...(downloads.length > 0 ? { downloads } : {}),
    url: page.url(),
    title: pageObservation.title,
    viewport,
    timing: {
      action: roundToTenths(turn?.action ?? 0),
      settle: roundToTenths(turn?.settle ?? 0),
      picture: roundToTenths(pageObservation.picture),
      text: roundToTenths(pageObservation.text),
    },
    ...(turn?.response === undefined ? {} : { response: turn.response }),
    ...(state.judgement === null ? {} : { task_info: state.judgement.info }),
  };
  return {
    observation: { ...pageObservation.observation, ...defined({ dialog: pageObservation.dialog }) },
    reward: state.benchmark === null ? null : (state.judgement?.reward ?? 0),
    terminated: (turn?.terminated || state.judgement?.terminated) ?? false,
    info,
    // That the page hangs is more specific than the timeout of an action.
    error:
      pageObservation.error && turn?.error?.code === 'action_timeout'
        ? pageObservation.error
        : (turn?.error ?? pageObservation.error),
    ...(turn?.secrets === undefined ? {} : { secrets: turn.secrets }),
    ...(pageObservation.html === undefined
      ? {}
      : { html: pageObservation.html, focused: pageObservation.open.reader.focusedBid }),
    ...(Object.keys(contents).length > 0 ? { contents } : {}),
    recorded: {
      ...pageObservation.recording,
      resources: state.recorder.takeResources(),
      actions: turn?.recordedActions ?? [],
    },
  };
}

/** Rounds to tenths of a millisecond, because whole milliseconds hide quick parts. */
function roundToTenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
