import type { ActionInput, Screen } from '../../actions/action.ts';
import { printAction } from '../../actions/print.ts';
import { defined } from '../../base/defined.ts';
import { type Json, objectOf } from '../../base/json.ts';
import type { CallResult, Phase } from '../../functions/declaration.ts';
import type { Call } from '../../tasks/task.ts';
import {
  type Acted,
  type CreateEnvironment,
  type Environment,
  EnvironmentError,
  type EnvironmentUrls,
  PLAIN_RESULT,
  type ResetOptions,
  requireTask,
  type StartResult,
  type StepResult,
} from '../environment.ts';
import { forController } from './actions.ts';
import { type Controller, ControllerError, failedCall } from './controller.ts';
import type { Invocation, InvocationResult } from './invocation.ts';
import { readReply } from './observation.ts';
import { localController } from './python.ts';
import { readCustom } from './spec.ts';
import { readSetup, readVerdict } from './verdict.ts';

/** The time limit for a step of a controller in ms. */
const STEP_LIMIT = 30_000;
/** Functions that get the response as their last argument (`create_remote_config`, HUD 0.2.10). */
const RESPONSE_FUNCTIONS = ['response_is', 'response_includes', 'response_match'];

type Observed = Pick<StepResult, 'observation' | 'info'>;

const NOTHING_OBSERVED: Observed = { observation: { text: null, screenshot: null }, info: {} };

/** A user-defined environment: HUD 0.2's `CustomGym`, with its protocol for controllers. */
export class CustomEnvironment implements Environment {
  readonly #open: (options: ResetOptions) => Promise<Controller>;
  readonly #log: (text: string) => void;
  #task: { readonly controller: Controller; readonly options: ResetOptions } | null = null;
  #last: Observed = NOTHING_OBSERVED;
  /** The number of pending setup calls. Before the last one, there may be nothing to observe. */
  #setupsLeft = 0;
  /** Whether the controller has a function `step`. */
  #hasStep = true;
  #response: string | null = null;

  /** `open` starts the controller of a task, without any state of an earlier one. */
  constructor(open: (options: ResetOptions) => Promise<Controller>, log: (text: string) => void) {
    this.#open = open;
    this.#log = log;
  }

  async reset(options: ResetOptions): Promise<StartResult> {
    await this.close();
    this.#last = NOTHING_OBSERVED;
    this.#setupsLeft = options.task.setup.length;
    this.#hasStep = true;
    this.#response = null;
    this.#task = { controller: await this.#open(options), options };
    return { ...(await this.observe()), goal: null };
  }

  async observe(): Promise<StepResult> {
    if (this.#setupsLeft > 0) return { ...PLAIN_RESULT, ...this.#last };
    // Without actions, only the controller itself can be the cause.
    const problem = await this.#observe([]);
    if (problem !== null) throw new EnvironmentError('environment_failed', problem);
    return { ...PLAIN_RESULT, ...this.#last };
  }

  async step(inputs: readonly ActionInput[], screen?: Screen): Promise<StepResult> {
    const { objects, actions, failure } = forController(inputs, screen, this.#last.observation.screenshot);
    const acted = actions.map(({ action }): Acted => {
      const target = 'target' in action ? action.target : null;
      const point = target !== null && 'point' in target ? target.point : undefined;
      return { action: printAction(action), ...defined({ point }) };
    });
    const last = actions.at(-1)?.action;
    const response = last?.type === 'response' ? last.text : null;
    this.#response = response ?? this.#response;
    const problem = objects.length === 0 ? null : await this.#observe(objects);
    const { observation, info } = this.#last;
    return {
      ...PLAIN_RESULT,
      observation,
      terminated: actions.some(({ action }) => action.type === 'infeasible'),
      info: { ...info, acted, ...(response === null ? {} : { response }) },
      error:
        failure !== null
          ? { code: failure.code, message: failure.message }
          : problem === null
            ? null
            : { code: 'controller_failed', message: problem },
    };
  }

  /** Calls a function of the controller for a setup or evaluate call. All names are those of the controller. */
  async call(
    call: Call,
    phase: Phase,
    { response = this.#response ?? undefined, signal }: { readonly response?: string; readonly signal: AbortSignal },
  ): Promise<CallResult> {
    const { controller, options } = requireTask(this.#task);
    if (phase === 'setup') this.#setupsLeft -= 1;
    const { location } = readCustom(options.task.env);
    const isRemote = location === 'remote' && phase === 'evaluate' && call.range === options.task.evaluate[0]?.range;
    const passesResponse = isRemote && response !== undefined && RESPONSE_FUNCTIONS.includes(call.function);
    // HUD does not pass an empty response.
    const args = passesResponse && response !== '' ? [...call.args, response] : call.args;
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

  async urls(): Promise<EnvironmentUrls> {
    // Controllers may not have this function. Then there are no URLs.
    const answer = await this.#invoke({ function: 'get_urls', args: [] }, AbortSignal.timeout(STEP_LIMIT)).catch(
      () => null,
    );
    const { url, live_url } = objectOf(answer !== null && 'result' in answer ? answer.result : null);
    return { url: typeof url === 'string' ? url : null, live_url: typeof live_url === 'string' ? live_url : null };
  }

  async close(): Promise<void> {
    const task = this.#task;
    this.#task = null;
    await task?.controller.close();
  }

  /** Calls `step` and stores the observation. Resolves with the reason if that failed, otherwise with null. */
  async #observe(objects: readonly Json[]): Promise<string | null> {
    if (this.#hasStep) {
      const { controller } = requireTask(this.#task);
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
          return null;
        }
        if (!result.missing) return failedCall('step', result, controller).error.message;
        this.#hasStep = false;
      } catch (error) {
        if (!(error instanceof ControllerError)) throw error;
        return `\`step\`: ${limit.aborted ? `it did not return within ${STEP_LIMIT / 1000} s` : error.message}`;
      }
    }
    const acts = objects.some((object) => objectOf(object)['type'] !== 'response');
    return acts ? 'the controller has no function `step`: an agent can only respond here' : null;
  }

  async #invoke(invocation: Invocation, signal: AbortSignal): Promise<InvocationResult> {
    const result = await requireTask(this.#task).controller.invoke(invocation, signal);
    for (const line of result.output.split('\n')) if (line !== '') this.#log(line);
    return result;
  }
}

export const create: CreateEnvironment = ({ log }) =>
  new CustomEnvironment((options) => localController(options, log), log);
