import type { StepInfo, StepResult } from '../../environment.ts';
import type { Turn } from '../acting/turn.ts';
import type { SessionState } from '../pages/session-state.ts';
import type { PageObservation } from './observe-page.ts';

/** The result of a step: an observation with all messages and actions since the last one. */
export function stepResultOf(state: SessionState, observed: PageObservation, turn?: Turn): StepResult {
  const messages = state.messages.take();
  const { page, viewport } = observed.open.tab;
  const info: StepInfo = {
    ...(turn && turn.acted.length > 0 ? { acted: turn.acted } : {}),
    ...(messages.length > 0 ? { messages } : {}),
    url: page.url(),
    title: observed.title,
    viewport,
    timing: {
      action: whole(turn?.action ?? 0),
      settle: whole(turn?.settle ?? 0),
      picture: whole(observed.picture),
      text: whole(observed.text),
    },
    ...(turn?.response === undefined ? {} : { response: turn.response }),
    ...(state.judged === null ? {} : { task_info: state.judged.info }),
  };
  return {
    observation: observed.observation,
    reward: state.benchmark === null ? null : (state.judged?.reward ?? 0),
    terminated: (turn?.terminated || state.judged?.terminated) ?? false,
    info,
    // That the page hangs is more specific than the timeout of an action.
    error: observed.error && turn?.error?.code === 'action_timeout' ? observed.error : (turn?.error ?? observed.error),
    ...(turn?.secrets === undefined ? {} : { secrets: turn.secrets }),
    ...(observed.html === undefined ? {} : { html: observed.html, focused: observed.open.reader.focused }),
    recorded: {
      ...observed.recorded,
      resources: state.recorder.takeResources(),
      actions: turn?.recorded ?? [],
    },
  };
}

/** Rounds to tenths of a millisecond, because whole milliseconds hide quick parts. */
function whole(ms: number): number {
  return Math.round(ms * 10) / 10;
}
