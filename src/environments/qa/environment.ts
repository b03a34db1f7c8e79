import type { ActionInput } from '../../actions/action.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { printAction } from '../../actions/print.ts';
import type { ActionRecord, FunctionContext } from '../../functions/declaration.ts';
import {
  type Acted,
  type Environment,
  EnvironmentError,
  type RecordedSnapshot,
  type ResetOptions,
  type StartResult,
  type StepResult,
} from '../environment.ts';

const IGNORED = 'a question needs a response only; this action does nothing here';

/** A question without a page. The first response counts and ends the run. */
export class QaEnvironment implements Environment {
  #prompt: string | null = null;
  #started = false;
  #response: string | null = null;
  #records: ActionRecord[] = [];

  async reset({ task }: ResetOptions): Promise<StartResult> {
    this.#prompt = task.prompt;
    this.#started = true;
    this.#response = null;
    this.#records = [];
    return { ...this.#result([], null), goal: null };
  }

  async step(inputs: readonly ActionInput[]): Promise<StepResult> {
    this.#check();
    const acted: Acted[] = [];
    for (const input of inputs) {
      const { actions, failure } = normaliseAction(input);
      for (const action of actions) {
        if (this.#response !== null) return this.#result(acted, null);
        if (action.type === 'response') {
          this.#response = action.text;
          acted.push({ action: printAction(action) });
        } else acted.push({ action: printAction(action), ignored: IGNORED });
        this.#record(input, action, null);
        // The agent has declared that there is no answer.
        if (action.type === 'infeasible') return { ...this.#result(acted, null), terminated: true };
      }
      if (failure) {
        this.#record(input, null, failure.message);
        return this.#result(acted, failure);
      }
    }
    return this.#result(acted, null);
  }

  async restore({ actions, response }: RecordedSnapshot): Promise<readonly string[]> {
    this.#started = true;
    this.#response = response;
    this.#records = actions.map(({ input, normalised, error, typed }) => ({
      input,
      normalised,
      error,
      typed,
      matches: async () => false,
    }));
    return [];
  }

  async observe(): Promise<StepResult> {
    this.#check();
    return this.#result([], null);
  }

  functionContext(): FunctionContext {
    this.#check();
    return {
      response: this.#response,
      actions: this.#records,
      actionTimeout: 0,
    };
  }

  async close(): Promise<void> {
    this.#started = false;
  }

  #record(input: ActionInput, normalised: ActionRecord['normalised'], error: string | null): void {
    this.#records.push({ input, normalised, error, typed: null, matches: async () => false });
  }

  #result(acted: readonly Acted[], error: StepResult['error']): StepResult {
    return {
      observation: { text: this.#prompt, screenshot: null },
      reward: null,
      terminated: this.#response !== null,
      info: {
        ...(acted.length > 0 ? { acted } : {}),
        ...(this.#response !== null && acted.length > 0 ? { response: this.#response } : {}),
      },
      error,
    };
  }

  #check(): void {
    if (!this.#started) throw new EnvironmentError('environment_failed', 'the environment has no task: reset it first');
  }
}
