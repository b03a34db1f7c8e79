import { inspect } from 'node:util';
import type { Agent, Answer, Turn } from '../agents/agent.ts';
import { AgentError } from '../agents/agent-error.ts';
import { ANSWER_FORM, answerSchemaIn } from '../agents/answer.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';
import type { AgentFunction } from './api.ts';

/** The name of a program as the agent of a run, in traces. */
export const PROGRAM = 'program';

/** Checks the answer of a program, which can be any value in JavaScript. Throws `AgentError`. */
export function checkAnswer(value: unknown, environment: EnvironmentSpec): Answer {
  const answer = answerSchemaIn(environment).safeParse(value ?? null);
  if (answer.success) return answer.data;
  throw new AgentError('agent_answer', `The agent returned ${inspect(value).slice(0, 200)}. ${ANSWER_FORM}.`);
}

/** A function of the program as an agent. */
export function functionAgent(answer: AgentFunction, environment: EnvironmentSpec): Agent {
  return {
    act: async ({ observation, prompt, step, reward, terminated, error, tools }: Turn, signal) => {
      const context = { prompt, step, signal, reward, terminated, error, tools };
      let value: unknown;
      try {
        value = await answer(observation, context);
      } catch (cause) {
        signal.throwIfAborted();
        const message = cause instanceof Error ? cause.message : String(cause);
        throw new AgentError('agent_threw', `The agent threw an error at step ${step}: ${message}`, { cause });
      }
      return { actions: checkAnswer(value, environment) };
    },
    close: async () => {},
  };
}
