import type { ActionInput } from '../../actions/action.ts';
import { type Json, type JsonObject, textOf } from '../../base/json.ts';
import { findBuiltin } from '../../functions/catalogue.ts';
import type { ActionRecord, FunctionContext } from '../../functions/declaration.ts';
import { judges } from '../../functions/meaning.ts';
import type { Task } from '../../tasks/task.ts';
import { recordAction } from '../action-records.ts';
import { withoutCredentials } from '../credentials.ts';
import {
  type CreateEnvironment,
  type Environment,
  EnvironmentError,
  type RecordedSnapshot,
  type ResetOptions,
  requireTask,
  type StartResult,
  type StepResult,
} from '../environment.ts';
import type { ToolFacts } from '../mcp/tools.ts';
import { type Validator, validatorOf, withoutExtraKeys } from '../schema-validator.ts';
import { stepObjects } from '../step-actions.ts';
import { unrecordedContext } from '../unrecorded.ts';
import { addressesOf } from './addresses.ts';
import { serverError } from './connection-error.ts';
import { type EpisodeStart, namesTask, otherTask, whyIgnored } from './ignored-task.ts';
import { takePicture } from './pictures.ts';
import { printObservation } from './print-observation.ts';
import { type EnvironmentSchemas, readServer } from './server-info.ts';
import { type EnvironmentAnswer, OpenEnvSession, RefusalError } from './session.ts';
import { type OpenEnvSpec, readOpenEnv } from './spec.ts';
import { hasTools, readTools, schemaOfCalls, toolError } from './tools.ts';

/** Keys of an observation that contain the goal, the likeliest first. */
const GOALS = ['goal', 'instruction', 'prompt', 'question', 'task'] as const;

/** An episode in progress. */
interface Episode {
  readonly session: OpenEnvSession;
  readonly validators: Validators;
  /** The task has calls that may request the state, so each step records it. */
  readonly recordsState: boolean;
  last: LastAnswer;
  totalReward: number;
  /** The state after the last step; null if it was not requested. */
  state: Json | null;
  terminated: boolean;
  response: string | null;
  readonly records: ActionRecord[];
}

/** The last answer of the environment. */
interface LastAnswer {
  readonly observation: StepResult['observation'] & { readonly data: JsonObject };
  readonly reward: number | null;
}

/** Validators by the schemas of the environment. */
interface Validators {
  readonly action: (action: JsonObject) => string | null;
  readonly observation: Validator;
  readonly resetObservation: Validator;
}

/** An environment on an OpenEnv server. Each run is a session of the server. */
export class OpenEnvEnvironment implements Environment {
  readonly #log: (text: string) => void;
  #episode: Episode | null = null;
  /** Set while a snapshot of a recorded run is restored. */
  #restoredContext: FunctionContext | null = null;

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  async reset({ task, seed, address, unlimited }: ResetOptions): Promise<StartResult> {
    await this.close();
    const spec = readOpenEnv(task.env);
    if ('problems' in spec) throw new EnvironmentError('start_failed', `${spec.problems[0]?.message}.`);
    const url = spec.place.kind === 'url' ? spec.place.url : address;
    if (url === undefined) {
      const message = 'The server of the environment was not started: an image runs in Docker (--placement docker).';
      throw new EnvironmentError('start_failed', message);
    }
    const addresses = addressesOf(url);
    const schemas = await readServer(addresses);
    const limit = unlimited === true ? null : spec.answerMs;
    const { session, answer, warning } = await this.#start(spec, addresses, seed, limit);
    try {
      const tools = hasTools(schemas) ? (readTools(await session.mcp('tools/list').catch(nullIfRefused)) ?? []) : null;
      const validators = this.#validatorsOf(schemas, tools);
      assertValid(session.address, validators.resetObservation, answer);
      const episode: Episode = {
        session,
        validators,
        recordsState: task.evaluate.some(mayAskState),
        last: await lastAnswer(answer),
        totalReward: 0,
        state: null,
        terminated: answer.done,
        response: null,
        records: [],
      };
      this.#episode = episode;
      return {
        ...(await this.#result(episode, {})),
        goal: GOALS.map((key) => textOf(answer.observation[key])).find((text) => text !== null) ?? null,
        ...(warning === null ? {} : { warning }),
        actions: tools === null ? schemas.action : schemaOfCalls(tools),
      };
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  async step(inputs: readonly ActionInput[]): Promise<StepResult> {
    const episode = requireTask(this.#episode);
    const { acted, response, infeasible, error } = await stepObjects(inputs, {
      act: (value) => this.#act(episode, value),
      onActed: (input, action, error) => episode.records.push(recordAction(input, action, error?.message ?? null)),
      isOver: () => episode.terminated,
    });
    episode.response = response ?? episode.response;
    const info = { acted, ...(response === null ? {} : { response }) };
    const result = await this.#result(episode, info);
    return { ...result, terminated: result.terminated || infeasible, error };
  }

  async observe(): Promise<StepResult> {
    return this.#result(requireTask(this.#episode), {});
  }

  async restore(moment: RecordedSnapshot): Promise<readonly string[]> {
    await this.close();
    this.#restoredContext = unrecordedContext('the environment of a run is not recorded', moment);
    return [];
  }

  functionContext(): FunctionContext {
    if (this.#restoredContext !== null) return this.#restoredContext;
    const episode = requireTask(this.#episode);
    const { last, totalReward, response, records } = episode;
    return {
      episode: { observation: last.observation.data, totalReward, state: () => stateOf(episode) },
      response,
      actions: records,
      actionTimeout: 0,
    };
  }

  async close(): Promise<void> {
    const { session } = this.#episode ?? {};
    this.#episode = null;
    this.#restoredContext = null;
    await session?.close();
  }

  /** Connects and resets. Warns if the server ignores the task. */
  async #start(
    { reset, task }: OpenEnvSpec,
    addresses: ReturnType<typeof addressesOf>,
    seed: number,
    limit: number | null,
  ): Promise<{ session: OpenEnvSession; answer: EnvironmentAnswer; warning: string | null }> {
    const args: JsonObject = { seed, ...reset };
    const ownTask = task ?? reset['task'];
    const withTask = ownTask === undefined ? args : { ...args, task: ownTask };
    let session: OpenEnvSession | null = null;
    try {
      const start = await OpenEnvSession.start(addresses, limit, withTask);
      session = start.session;
      if (ownTask === undefined) return { ...start, warning: null };
      const first = await episodeStart(session, start.answer);
      if (namesTask(first, ownTask)) return { ...start, warning: null };
      const { task: _task, ...bare } = withTask;
      const without = await resetTo(session, bare);
      // The task may be the default one. Then another task makes a difference.
      const other = without === null ? null : await resetTo(session, { ...bare, task: otherTask(ownTask) });
      const answer = await session.reset(withTask);
      if (without === null || other === null) return { session, answer, warning: null };
      const again = await episodeStart(session, answer);
      const why = whyIgnored(first, [without, other], again);
      const warning = why === null ? null : `the server ignored \`task\`: ${why}`;
      return { session, answer, warning };
    } catch (error) {
      await session?.close();
      if (!(error instanceof RefusalError)) throw error;
      const taskText = ownTask === undefined ? '' : ` with the task ${JSON.stringify(ownTask)}`;
      const message = `The environment at ${withoutCredentials(addresses.http)} could not be reset${taskText}: ${error.message}`;
      throw new EnvironmentError('environment_failed', message, { cause: error });
    }
  }

  /** @param tools of an environment whose actions are calls of tools */
  #validatorsOf(schemas: EnvironmentSchemas, tools: readonly ToolFacts[] | null): Validators {
    const action = validatorOf(schemas.action, this.#log);
    if (tools === null) {
      const observation = (schema: JsonObject) => validatorOf(withoutExtraKeys(schema) as JsonObject, this.#log);
      return {
        action,
        observation: observation(schemas.observation),
        resetObservation: observation(schemas.reset_observation ?? schemas.observation),
      };
    }
    // The schemas are only those of calls of tools. Observations of other actions have other forms.
    const validators = new Map(tools.map(({ name, schema }) => [name, validatorOf(schema, this.#log)]));
    return {
      action: (value) => {
        // Every environment of MCP answers with its tools.
        if (value['type'] === 'list_tools') return null;
        return action(value) ?? validators.get(String(value['tool_name']))?.(value['arguments'] ?? {}) ?? null;
      },
      observation: () => null,
      resetObservation: () => null,
    };
  }

  /** Carries out one action. Resolves with the error if it was not carried out. */
  async #act(episode: Episode, action: JsonObject): Promise<StepResult['error']> {
    const { session, validators } = episode;
    const wrong = validators.action(action);
    if (wrong !== null) {
      return { code: 'invalid_action', message: `The action does not fit the environment's schema: ${wrong}` };
    }
    episode.state = null;
    try {
      const answer = await session.step(action);
      assertValid(session.address, validators.observation, answer);
      episode.last = await lastAnswer(answer);
      episode.terminated = answer.done;
      episode.totalReward += answer.reward ?? 0;
      return toolError(answer.observation);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      if (error.code !== 'EXECUTION_ERROR') return { code: 'invalid_action', message: error.message };
      // An exception of the environment says nothing about the agent, so the step has no reward.
      episode.last = { ...episode.last, reward: null };
      return { code: 'environment_error', message: `The environment raised an exception: ${error.message}` };
    }
  }

  async #result(episode: Episode, info: StepResult['info']): Promise<StepResult> {
    const { last, totalReward, terminated, recordsState } = episode;
    const state = recordsState || terminated ? await stateOf(episode).catch(nullIfRefused) : null;
    return {
      ...last,
      terminated,
      info: { ...info, total_reward: totalReward, ...(state === null ? {} : { state }) },
      error: null,
    };
  }
}

async function stateOf(episode: Episode): Promise<Json> {
  episode.state ??= await episode.session.state();
  return episode.state;
}

function nullIfRefused(error: unknown): null {
  if (error instanceof RefusalError) return null;
  throw error;
}

/** The start of an episode; null if the environment refuses to start one. */
function resetTo(session: OpenEnvSession, args: JsonObject): Promise<EpisodeStart | null> {
  return session.reset(args).then((answer) => episodeStart(session, answer), nullIfRefused);
}

async function episodeStart(session: OpenEnvSession, answer: EnvironmentAnswer): Promise<EpisodeStart> {
  return { ...answer, state: (await session.state().catch(nullIfRefused)) ?? {} };
}

async function lastAnswer({ observation, reward }: EnvironmentAnswer): Promise<LastAnswer> {
  const { data, picture } = await takePicture(observation);
  return { observation: { text: printObservation(data), screenshot: picture, data }, reward };
}

/** Throws if an answer does not fit the schema of the environment. */
function assertValid(address: string, validate: Validator, { observation, reward, done }: EnvironmentAnswer): void {
  // The server moves these two out of the observation.
  const wrong = validate({ done, reward, ...observation });
  if (wrong === null) return;
  const what = `sent an observation that breaks its own schema: ${wrong}. (It sends NaN and Infinity as null.)`;
  throw serverError('environment_failed', address, what);
}

/** Whether a call may request the state. Any user-defined function may. */
function mayAskState(call: Task['evaluate'][number]): boolean {
  return findBuiltin(call.function) === undefined || judges(call, 'state');
}

export const create: CreateEnvironment = ({ log }) => new OpenEnvEnvironment(log);
