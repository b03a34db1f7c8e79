import type { ActionInput, Screen } from '../../actions/action.ts';
import { printAction } from '../../actions/print.ts';
import type { Json } from '../../base/json.ts';
import type { CallResult, Phase } from '../../functions/declaration.ts';
import type { Call } from '../../tasks/task.ts';
import { type Acted, type Environment, EnvironmentError, type ResetOptions, type StepResult } from '../environment.ts';
import { forController, scaleTo } from './actions.ts';
import { type Controller, ControllerError, failedCall } from './controller.ts';
import type { Invocation, InvocationResult } from './invocation.ts';
import { readReply } from './observation.ts';
import { readCustom } from './spec.ts';
import { readSetup, readVerdict } from './verdict.ts';

/** The time limit for a step of a controller in ms. */
const STEP_LIMIT = 30_000;
/** Functions that get the response as their last argument (`create_remote_config`, HUD 0.2.10). */
const RESPONSE_FUNCTIONS = ['response_is', 'response_includes', 'response_match'];

type Seen = Pick<StepResult, 'observation' | 'info'>;

const NOTHING_SEEN: Seen = { observation: { text: null, screenshot: null }, info: {} };

/** A user-defined environment: HUD 0.2's `CustomGym`, with its protocol for controllers. */
export class CustomEnvironment implements Environment {
  readonly #open: (options: ResetOptions) => Promise<Controller>;
  readonly #log: (text: string) => void;
  #task: { readonly controller: Controller; readonly options: ResetOptions } | null = null;
  #last: Seen = NOTHING_SEEN;
  /** The number of pending setup calls. Before the last one, there may be nothing to observe. */
  #setupsLeft = 0;
  /** Whether the controller has a function `step`. */
  #steps = true;
  #response: string | null = null;

  /** `open` starts the controller of a task, without any state of an earlier one. */
  constructor(open: (options: ResetOptions) => Promise<Controller>, log: (text: string) => void) {
    this.#open = open;
    this.#log = log;
  }

  async reset(options: ResetOptions): Promise<StepResult & { readonly goal: string | null }> {
    await this.close();
    this.#last = NOTHING_SEEN;
    this.#setupsLeft = options.task.setup.length;
    this.#steps = true;
    this.#response = null;
    this.#task = { controller: await this.#open(options), options };
    return { ...(await this.observe()), goal: null };
  }

  async observe(): Promise<StepResult> {
    if (this.#setupsLeft > 0) return answer(this.#last);
    const { failure } = await this.#observe([]);
    // Of nothing done a controller that fails says that it does not work.
    if (failure !== null) throw new EnvironmentError('environment_failed', failure);
    return answer(this.#last);
  }

  async step(inputs: readonly ActionInput[], screen?: Screen): Promise<StepResult> {
    const picture = this.#last.observation.screenshot;
    const scale = screen === undefined || picture === null ? null : scaleTo(picture, screen);
    const { objects, actions, failure } = forController(inputs, scale);
    const acted: Acted[] = [];
    let infeasible = false;
    for (const { action } of actions) {
      const point =
        'target' in action && action.target !== null && 'point' in action.target ? action.target.point : null;
      acted.push({ action: printAction(action), ...(point === null ? {} : { point }) });
      infeasible ||= action.type === 'infeasible';
    }
    const last = actions.at(-1)?.action;
    const response = last?.type === 'response' ? last.text : null;
    if (response !== null) this.#response = response;
    const stepped = objects.length === 0 ? { failure: null } : await this.#observe(objects);
    const error =
      failure ?? (stepped.failure === null ? null : { code: 'controller_failed', message: stepped.failure });
    const info = { ...this.#last.info, acted, ...(response === null ? {} : { response }) };
    const { code = '', message = '' } = error ?? {};
    return {
      ...answer({ ...this.#last, info }),
      terminated: infeasible,
      error: error === null ? null : { code, message },
    };
  }

  /** Calls a function of the controller for a setup or evaluate call. All names are those of the controller. */
  async call(
    call: Call,
    phase: Phase,
    { response = this.#response ?? undefined, signal }: { readonly response?: string; readonly signal: AbortSignal },
  ): Promise<CallResult> {
    const { controller, options } = this.#current();
    if (phase === 'setup') this.#setupsLeft -= 1;
    const { location } = readCustom(options.task.env);
    const remote = location === 'remote' && phase === 'evaluate' && call.range === options.task.evaluate[0]?.range;
    // HUD passes on no empty response.
    const told = remote && response !== undefined && response !== '' && RESPONSE_FUNCTIONS.includes(call.function);
    const args = told ? [...call.args, response] : call.args;
    try {
      const result = await this.#invoke({ function: call.function, args, numbers: call.numbers }, signal);
      if ('message' in result) return failedCall(call.function, result, controller);
      return phase === 'setup' ? readSetup(result.result) : readVerdict(call.function, result.result);
    } catch (error) {
      if (!(error instanceof ControllerError)) throw error;
      const { message, trace } = error;
      return { error: { code: 'call_threw', message: `\`${call.function}\`: ${message}`, stack: trace } };
    }
  }

  async urls(): Promise<{ readonly url: string | null; readonly live_url: string | null }> {
    // Controllers may not have this function. Then there are no URLs.
    const answered = await this.#invoke({ function: 'get_urls', args: [] }, AbortSignal.timeout(STEP_LIMIT)).catch(
      () => null,
    );
    const urls = answered !== null && 'result' in answered ? (answered.result as Record<string, unknown> | null) : null;
    const url = (name: string): string | null => (typeof urls?.[name] === 'string' ? urls[name] : null);
    return { url: url('url'), live_url: url('live_url') };
  }

  async close(): Promise<void> {
    const task = this.#task;
    this.#task = null;
    await task?.controller.close();
  }

  /** Calls `step` and stores the observation. `failure`: why it did not work. */
  async #observe(objects: readonly Json[]): Promise<{ failure: string | null }> {
    const acts = objects.some((object) => (object as { type?: Json }).type !== 'response');
    if (this.#steps) {
      const { controller } = this.#current();
      const limit = AbortSignal.timeout(STEP_LIMIT);
      try {
        const result = await this.#invoke({ function: 'step', args: [objects] }, limit);
        if ('result' in result) {
          const { observation, info } = readReply(result.result);
          const { width, height } = observation.screenshot ?? {};
          this.#last = {
            observation,
            info: {
              ...(width === undefined || height === undefined ? {} : { viewport: { width, height } }),
              ...(Object.keys(info).length === 0 ? {} : { task_info: info }),
            },
          };
          return { failure: null };
        }
        if (!result.missing) {
          const failed = failedCall('step', result, controller);
          return { failure: 'error' in failed ? failed.error.message : '' };
        }
        this.#steps = false;
      } catch (error) {
        if (!(error instanceof ControllerError)) throw error;
        const late = limit.aborted ? `it did not return within ${STEP_LIMIT / 1000} s` : error.message;
        return { failure: `\`step\`: ${late}` };
      }
    }
    return { failure: acts ? 'the controller has no function `step`: an agent can only respond here' : null };
  }

  async #invoke(invocation: Invocation, signal: AbortSignal): Promise<InvocationResult> {
    const result = await this.#current().controller.invoke(invocation, signal);
    for (const line of result.output.split('\n')) if (line !== '') this.#log(line);
    return result;
  }

  #current() {
    if (this.#task === null) {
      throw new EnvironmentError('environment_failed', 'The environment has no task yet: reset it first.');
    }
    return this.#task;
  }
}

function answer({ observation, info }: Seen): StepResult {
  return { observation, reward: null, terminated: false, info, error: null };
}
