import type { Screen } from '../actions/action.ts';
import type { Agent, Answer } from './agent.ts';

/** Gives answers that are known beforehand. */
export function scriptedAgent(answers: readonly Exclude<Answer, null>[], screen?: Screen): Agent {
  let index = 0;
  return {
    screen,
    act: async () => {
      const actions = answers[index] ?? null;
      index += 1;
      return { actions };
    },
    get exhausted() {
      return index >= answers.length;
    },
    close: async () => {},
  };
}
