import type { ActionInput } from '../../actions/action.ts';
import type { CallResult, Phase } from '../../functions/declaration.ts';
import type { Call, Json } from '../../tasks/task.ts';
import {
  type Environment,
  EnvironmentError,
  type Observation,
  type ResetOptions,
  type StartResult,
  type StepResult,
} from '../environment.ts';
import { AgentTools } from '../mcp/agent-tools.ts';
import { stepObjects } from '../step-objects.ts';
import { type OpenCapabilities, openCapabilities } from './capabilities.ts';
import { Refused } from './channel.ts';
import { readGrade } from './grade.ts';
import { NO_MESSAGE } from './no-message.ts';
import { promptText } from './prompt.ts';
import { HudSession } from './session.ts';
import { readHud } from './spec.ts';

/** A started task. */
interface Started {
  readonly session: HudSession;
  readonly capabilities: OpenCapabilities;
  readonly tools: AgentTools;
  seen: Observation;
  response: string | null;
  /** The task ended with its grade. */
  isGraded: boolean;
}

/** A task of HUD 0.6: a template in an environment that is reached over its control channel. */
export class HudEnvironment implements Environment {
  #task: Started | null = null;
  /** The session of a task that is being started. */
  #starting: HudSession | null = null;
  readonly #log: (text: string) => void;
  /** What the current task breaks by. */
  #broken: Promise<never> = new Promise(() => {});

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  get broken(): Promise<never> {
    return this.#broken;
  }

  async reset({ task, address }: ResetOptions): Promise<StartResult> {
    await this.close();
    const { place, template, args, numbers } = readHud(task.env);
    const url = place.kind === 'address' ? place.url : address;
    if (url === undefined) {
      const message = 'The environment was not started: an image runs in Docker (--placement docker).';
      throw new EnvironmentError('start_failed', message);
    }
    const session = await HudSession.open(url);
    this.#starting = session;
    let capabilities: OpenCapabilities | null = null;
    try {
      const { prompt: turns, ...rest } = await session.start(template, args, numbers);
      const prompt = promptText(turns);
      if (prompt === null) {
        const message = `The template “${template}” yields no prompt first, so there is nothing for an agent to do.`;
        throw new EnvironmentError('start_failed', message);
      }
      capabilities = await openCapabilities(url, session.bindings);
      this.#broken = Promise.race(capabilities.lost);
      // Whoever waits for it has the error.
      this.#broken.catch(() => {});
      const tools = new AgentTools(capabilities.tools, this.#log);
      const data = typeof turns === 'string' ? {} : { data: turns ?? null };
      const seen = { text: prompt, screenshot: null, ...data };
      this.#task = { session, capabilities, tools, seen, response: null, isGraded: false };
      const { schema } = tools;
      return {
        ...resultOf(this.#task, Object.keys(rest).length === 0 ? {} : { task_info: rest }),
        goal: prompt,
        ...warningOf(capabilities.unused, place.kind === 'address' && session.holdsOneTask),
        ...(schema === null ? {} : { actions: schema }),
      };
    } catch (error) {
      await Promise.all([session.close(), capabilities?.close()]);
      if (!(error instanceof Refused)) throw error;
      const message = `The template “${template}” could not be started: ${wordsOf(error)}`;
      throw new EnvironmentError('environment_failed', message, { cause: error });
    } finally {
      this.#starting = null;
    }
  }

  async observe(): Promise<StepResult> {
    return resultOf(this.#current(), {});
  }

  async step(inputs: readonly ActionInput[]): Promise<StepResult> {
    const task = this.#current();
    const { acted, infeasible, error } = await stepObjects(inputs, {
      act: (value) => this.#act(task, value),
      onActed: (_input, action) => {
        if (action?.type === 'response') task.response = action.text;
      },
      isOver: () => task.response !== null,
    });
    const result = resultOf(task, { acted, ...(task.response === null ? {} : { response: task.response }) });
    return { ...result, terminated: result.terminated || infeasible, error };
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
    // The grade itself fails if the connection is lost.
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
    const { session, capabilities } = this.#task ?? {};
    const starting = this.#starting;
    this.#task = null;
    this.#starting = null;
    this.#broken = new Promise(() => {});
    await Promise.all([capabilities?.close(), session?.close(), starting?.close()]);
  }

  async #act(task: Started, action: Readonly<Record<string, Json>>): Promise<StepResult['error']> {
    const { seen, error } = await task.tools.act(action);
    if (seen !== undefined) task.seen = seen;
    return error;
  }

  #current(): Started {
    if (this.#task === null) {
      throw new EnvironmentError('environment_failed', 'The environment has no task yet: reset it first.');
    }
    return this.#task;
  }
}

function warningOf(unused: string | null, holdsOneTask: boolean): Pick<StartResult, 'warning'> {
  const warnings = [
    ...(unused === null ? [] : [unused]),
    ...(holdsOneTask
      ? ['The environment is older than HUD 0.6.13 and holds one task at a time: run one after the other.']
      : []),
  ];
  return warnings.length === 0 ? {} : { warning: warnings.join('\n') };
}

function resultOf({ seen, response }: Started, info: StepResult['info']): StepResult {
  return { observation: seen, reward: null, terminated: response !== null, info, error: null };
}

function wordsOf({ message }: Refused): string {
  return message === '' ? NO_MESSAGE : message;
}
