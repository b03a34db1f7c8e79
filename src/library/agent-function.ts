import { inspect } from 'node:util';
import type { Agent, Answer, Turn } from '../agents/agent.ts';
import { AgentError } from '../agents/agent-error.ts';
import { ANSWER_FORM, answerSchemaIn } from '../agents/answer.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';
import type { AgentFunction } from './api.ts';

/** What traces name a program as the agent that it is. */
export const PROGRAM = 'program';

/** An answer of a program, checked: programs in JavaScript can answer anything. Throws `AgentError`. */
export function checkedAnswer(value: unknown, environment: EnvironmentSpec): Answer {
  const answer = answerSchemaIn(environment).safeParse(value ?? null);
  if (answer.success) return answer.data;
  throw new AgentError('agent_answer', `The agent returned ${inspect(value).slice(0, 200)}. ${ANSWER_FORM}.`);
}

/** The agent that a function of the program is. */
export function functionAgent(answer: AgentFunction, environment: EnvironmentSpec): Agent {
  return {
    act: async ({ observation, prompt, step, reward, terminated, error, tools }: Turn, signal) => {
      const context = { prompt, step, signal, reward, terminated, error, tools };
      let answered: unknown;
      try {
        answered = await answer(observation, context);
      } catch (thrown) {
        signal.throwIfAborted();
        const message = thrown instanceof Error ? thrown.message : String(thrown);
        throw new AgentError('agent_threw', `The agent threw an error at step ${step}: ${message}`, { cause: thrown });
      }
      return { actions: checkedAnswer(answered, environment) };
    },
    close: async () => {},
  };
}
