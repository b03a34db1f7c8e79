import type { ActionInput } from '../../actions/action.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { printAction } from '../../actions/print.ts';
import type { CallResult, Phase } from '../../functions/declaration.ts';
import type { Call } from '../../tasks/task.ts';
import {
  type Acted,
  type Environment,
  EnvironmentError,
  type ResetOptions,
  type StartResult,
  type StepResult,
} from '../environment.ts';
import { Refused } from './channel.ts';
import { readGrade } from './grade.ts';
import { NO_MESSAGE } from './no-message.ts';
import { promptText } from './prompt.ts';
import { HudSession } from './session.ts';
import { readHud } from './spec.ts';

const IGNORED = 'this environment takes a response only; this action does nothing here';

/** A started task. */
interface Started {
  readonly session: HudSession;
  readonly prompt: string;
  response: string | null;
  /** The task ended with its grade. */
  isGraded: boolean;
}

/** A task of HUD 0.6: a template in an environment that is reached over its control channel. */
export class HudEnvironment implements Environment {
  #task: Started | null = null;
  /** The session of a task that is being started. */
  #starting: HudSession | null = null;

  async reset({ task, address }: ResetOptions): Promise<StartResult> {
    await this.close();
    const { place, template, args } = readHud(task.env);
    const url = place.kind === 'address' ? place.url : address;
    if (url === undefined) {
      const message = 'The environment was not started: an image runs in Docker (--placement docker).';
      throw new EnvironmentError('start_failed', message);
    }
    const session = await HudSession.open(url);
    this.#starting = session;
    try {
      const frame = await session.start(template, args);
      const prompt = promptText(frame['prompt']);
      if (prompt === null) {
        const message = `The template “${template}” yields no prompt first, so there is nothing for an agent to do.`;
        throw new EnvironmentError('start_failed', message);
      }
      this.#task = { session, prompt, response: null, isGraded: false };
      const { prompt: _prompt, ...rest } = frame;
      const result = this.#result(this.#task, [], null);
      const data = typeof frame['prompt'] === 'string' ? {} : { data: frame['prompt'] ?? null };
      return {
        ...result,
        observation: { ...result.observation, ...data },
        info: Object.keys(rest).length === 0 ? {} : { task_info: rest },
        goal: prompt,
      };
    } catch (error) {
      await session.close();
      if (!(error instanceof Refused)) throw error;
      const message = `The template “${template}” could not be started: ${wordsOf(error)}`;
      throw new EnvironmentError('environment_failed', message, { cause: error });
    } finally {
      this.#starting = null;
    }
  }

  async observe(): Promise<StepResult> {
    return this.#result(this.#current(), [], null);
  }

  async step(inputs: readonly ActionInput[]): Promise<StepResult> {
    const task = this.#current();
    const acted: Acted[] = [];
    for (const input of inputs) {
      const { actions, failure } = normaliseAction(input);
      for (const action of actions) {
        if (task.response !== null) return this.#result(task, acted, null);
        const isResponse = action.type === 'response';
        if (isResponse) task.response = action.text;
        acted.push({ action: printAction(action), ...(isResponse ? {} : { ignored: IGNORED }) });
        // The agent has declared that there is no answer.
        if (action.type === 'infeasible') return { ...this.#result(task, acted, null), terminated: true };
      }
      if (failure) return this.#result(task, acted, failure);
    }
    return this.#result(task, acted, null);
  }

  async call(
    _call: Call,
    _phase: Phase,
    { response, signal }: { readonly response?: string; readonly signal: AbortSignal },
  ): Promise<CallResult> {
    const task = this.#current();
    if (task.isGraded) {
      const message = 'the task was graded already, and HUD grades a task once: run it again';
      return { error: { code: 'call_threw', message } };
    }
    task.isGraded = true;
    const cancel = (): void => void task.session.cancel().catch(() => undefined);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return readGrade(await task.session.grade(response ?? task.response));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { error: { code: 'call_threw', message: wordsOf(error) } };
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async close(): Promise<void> {
    const session = this.#task?.session ?? this.#starting;
    this.#task = null;
    this.#starting = null;
    await session?.close();
  }

  #result({ prompt, response }: Started, acted: readonly Acted[], error: StepResult['error']): StepResult {
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

  #current(): Started {
    if (this.#task === null) {
      throw new EnvironmentError('environment_failed', 'The environment has no task yet: reset it first.');
    }
    return this.#task;
  }
}

function wordsOf({ message }: Refused): string {
  return message === '' ? NO_MESSAGE : message;
}
