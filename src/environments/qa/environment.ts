import type { ActionInput } from '../../actions/action.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { printAction } from '../../actions/print.ts';
import type { ActionRecord, FunctionContext } from '../../functions/declaration.ts';
import { recordAction, restoreActions } from '../action-records.ts';
import {
  type Acted,
  type CreateEnvironment,
  type Environment,
  type RecordedSnapshot,
  type ResetOptions,
  requireTask,
  type StartResult,
  type StepResult,
} from '../environment.ts';

const IGNORED = 'a question needs a response only; this action does nothing here';

interface Question {
  readonly prompt: string | null;
  response: string | null;
  readonly records: ActionRecord[];
}

/** A question without a page. The first response counts and ends the run. */
export class QaEnvironment implements Environment {
  #question: Question | null = null;

  async reset({ task }: ResetOptions): Promise<StartResult> {
    this.#question = { prompt: task.prompt, response: null, records: [] };
    return { ...resultOf(this.#question, [], null), goal: null };
  }

  async step(inputs: readonly ActionInput[]): Promise<StepResult> {
    const question = requireTask(this.#question);
    const acted: Acted[] = [];
    for (const input of inputs) {
      const { actions, failure } = normaliseAction(input);
      for (const action of actions) {
        if (question.response !== null) return resultOf(question, acted, null);
        if (action.type === 'response') {
          question.response = action.text;
          acted.push({ action: printAction(action) });
        } else acted.push({ action: printAction(action), ignored: IGNORED });
        question.records.push(recordAction(input, action, null));
        if (action.type === 'infeasible') return { ...resultOf(question, acted, null), terminated: true };
      }
      if (failure) {
        question.records.push(recordAction(input, null, failure.message));
        return resultOf(question, acted, failure);
      }
    }
    return resultOf(question, acted, null);
  }

  async restore({ actions, response }: RecordedSnapshot): Promise<readonly string[]> {
    this.#question = { prompt: null, response, records: restoreActions(actions) };
    return [];
  }

  async observe(): Promise<StepResult> {
    return resultOf(requireTask(this.#question), [], null);
  }

  functionContext(): FunctionContext {
    const { response, records } = requireTask(this.#question);
    return { response, actions: records, actionTimeout: 0 };
  }

  async close(): Promise<void> {
    this.#question = null;
  }
}

function resultOf({ prompt, response }: Question, acted: readonly Acted[], error: StepResult['error']): StepResult {
  return {
    observation: { text: prompt, screenshot: null },
    reward: null,
    terminated: response !== null,
    info: {
      ...(acted.length > 0 ? { acted } : {}),
      ...(response !== null && acted.length > 0 ? { response } : {}),
    },
    error,
  };
}

export const create: CreateEnvironment = () => new QaEnvironment();
