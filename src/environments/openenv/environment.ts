import type { ActionInput } from '../../actions/action.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { findBuiltin } from '../../functions/catalogue.ts';
import type { ActionRecord, FunctionContext } from '../../functions/declaration.ts';
import { judges } from '../../functions/meaning.ts';
import type { Task } from '../../tasks/task.ts';
import { withoutCredentials } from '../credentials.ts';
import {
  type Environment,
  EnvironmentError,
  type RecordedSnapshot,
  type ResetOptions,
  type StartResult,
  type StepResult,
} from '../environment.ts';
import { type Validator, validatorOf, withoutExtraKeys } from '../schema-validator.ts';
import { stepObjects } from '../step-objects.ts';
import { unrecordedContext } from '../unrecorded.ts';
import { addressesOf } from './addresses.ts';
import { type Beginning, namesTask, otherTask, whyIgnored } from './ignored-task.ts';
import { takePicture } from './pictures.ts';
import { printObservation } from './print-observation.ts';
import { type EnvironmentSchemas, readServer } from './server-info.ts';
import { type EnvironmentAnswer, OpenEnvSession, Refused } from './session.ts';
import { type OpenEnvSpec, readOpenEnv } from './spec.ts';
import { hasTools, listsTools, readTools, schemaOfCalls, type Tool, toolError } from './tools.ts';

/** Keys of an observation in which environments tell the goal, the likeliest first. */
const GOALS = ['goal', 'instruction', 'prompt', 'question', 'task'] as const;

/** An episode in progress. */
interface Episode {
  readonly session: OpenEnvSession;
  readonly validators: Validators;
  /** The task has calls that may ask for the state, so each step records it. */
  readonly recordsState: boolean;
  seen: Seen;
  totalReward: number;
  /** The state as it was after the last step; null if it was not asked for. */
  state: Json | null;
  terminated: boolean;
  response: string | null;
  readonly records: ActionRecord[];
}

/** What the last answer of the environment says. */
interface Seen {
  readonly observation: StepResult['observation'] & { readonly data: JsonObject };
  readonly reward: number | null;
}

/** What is checked by the schemas of the environment. */
interface Validators {
  readonly action: (action: JsonObject) => string | null;
  readonly observation: Validator;
  readonly resetObservation: Validator;
}

/** An environment that an OpenEnv server runs: a run is a session there. */
export class OpenEnvEnvironment implements Environment {
  readonly #log: (text: string) => void;
  #episode: Episode | null = null;
  /** Set while a snapshot of a recorded run is restored. */
  #restored: FunctionContext | null = null;

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
    const { session, answer, warning } = await this.#begin(spec, addresses, seed, limit);
    try {
      const tools = hasTools(schemas) ? (readTools(await session.mcp('tools/list').catch(ifRefused)) ?? []) : null;
      const validators = this.#validatorsOf(schemas, tools);
      assertValid(session.address, validators.resetObservation, answer);
      const episode: Episode = {
        session,
        validators,
        recordsState: task.evaluate.some(mayAskState),
        seen: await seenIn(answer),
        totalReward: 0,
        state: null,
        terminated: answer.done,
        response: null,
        records: [],
      };
      this.#episode = episode;
      const goal = GOALS.map((key) => answer.observation[key]).find((text) => typeof text === 'string' && text !== '');
      return {
        ...(await this.#result(episode, {})),
        goal: typeof goal === 'string' ? goal : null,
        ...(warning === null ? {} : { warning }),
        actions: tools === null ? schemas.action : schemaOfCalls(tools),
      };
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  async step(inputs: readonly ActionInput[]): Promise<StepResult> {
    const episode = this.#current();
    const { acted, response, infeasible, error } = await stepObjects(inputs, {
      act: (value) => this.#act(episode, value),
      onActed: (input, action, error) => episode.records.push(record(input, action, error?.message ?? null)),
      isOver: () => episode.terminated,
    });
    if (response !== null) episode.response = response;
    const info = { acted, ...(response === null ? {} : { response }) };
    const result = await this.#result(episode, info);
    return { ...result, terminated: result.terminated || infeasible, error };
  }

  async observe(): Promise<StepResult> {
    return this.#result(this.#current(), {});
  }

  async restore(moment: RecordedSnapshot): Promise<readonly string[]> {
    await this.close();
    this.#restored = unrecordedContext('the environment of a run is not recorded', moment);
    return [];
  }

  functionContext(): FunctionContext {
    if (this.#restored !== null) return this.#restored;
    const episode = this.#current();
    const { seen, totalReward, response, records } = episode;
    return {
      episode: {
        observation: seen.observation.data,
        totalReward,
        state: () => this.#stateOf(episode),
      },
      response,
      actions: records,
      actionTimeout: 0,
    };
  }

  async close(): Promise<void> {
    const { session } = this.#episode ?? {};
    this.#episode = null;
    this.#restored = null;
    await session?.close();
  }

  /** Connects and resets. With a task, finds out whether the server ignores it. */
  async #begin(
    { reset, task }: OpenEnvSpec,
    addresses: ReturnType<typeof addressesOf>,
    seed: number,
    limit: number | null,
  ): Promise<{ session: OpenEnvSession; answer: EnvironmentAnswer; warning: string | null }> {
    const args = { seed, ...reset };
    const chosen = task ?? reset['task'];
    const withTask = chosen === undefined ? args : { ...args, task: chosen };
    let session: OpenEnvSession | null = null;
    try {
      const started = await OpenEnvSession.start(addresses, limit, withTask);
      session = started.session;
      if (chosen === undefined) return { session, answer: started.answer, warning: null };
      const first = await beginning(session, started.answer);
      if (namesTask(first, chosen)) return { session, answer: started.answer, warning: null };
      const { task: _task, ...bare } = withTask as JsonObject;
      const without = await resetTo(session, bare);
      // The task may be the one that an episode has anyway: then another one makes a difference.
      const other = without === null ? null : await resetTo(session, { ...bare, task: otherTask(chosen) });
      const answer = await session.reset(withTask);
      if (without === null || other === null) return { session, answer, warning: null };
      const again = await beginning(session, answer);
      const why = whyIgnored(first, [without, other], again);
      const warning = why === null ? null : `the server ignored \`task\`: ${why}`;
      return { session, answer, warning };
    } catch (error) {
      await session?.close();
      if (!(error instanceof Refused)) throw error;
      const given = chosen === undefined ? '' : ` with the task ${JSON.stringify(chosen)}`;
      const message = `The environment at ${withoutCredentials(addresses.http)} could not be reset${given}: ${error.message}`;
      throw new EnvironmentError('environment_failed', message, { cause: error });
    }
  }

  /** @param tools of an environment whose actions are calls of tools */
  #validatorsOf(schemas: EnvironmentSchemas, tools: readonly Tool[] | null): Validators {
    const action = validatorOf(schemas.action, this.#log);
    if (tools === null) {
      const observation = (schema: JsonObject) => validatorOf(withoutExtraKeys(schema) as JsonObject, this.#log);
      return {
        action,
        observation: observation(schemas.observation),
        resetObservation: observation(schemas.reset_observation ?? schemas.observation),
      };
    }
    // The schema is that of a call of a tool alone: observations of the other actions have other forms.
    const validators = new Map(tools.map(({ name, schema }) => [name, validatorOf(schema, this.#log)]));
    return {
      action: (given) => {
        if (listsTools(given)) return null;
        const wrong = action(given);
        const validate = validators.get(String(given['tool_name']));
        if (wrong !== null || validate === undefined) return wrong;
        return validate(given['arguments'] ?? {});
      },
      observation: () => null,
      resetObservation: () => null,
    };
  }

  /** Carries out one action. Resolves with the error of an action that was not carried out. */
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
      episode.seen = await seenIn(answer);
      episode.terminated = answer.done;
      episode.totalReward += answer.reward ?? 0;
      return toolError(answer.observation);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.code !== 'EXECUTION_ERROR') return { code: 'invalid_action', message: error.message };
      // An exception of the environment is no verdict on the agent, so the step has no reward.
      episode.seen = { ...episode.seen, reward: null };
      return { code: 'environment_error', message: `The environment raised an exception: ${error.message}` };
    }
  }

  async #result(episode: Episode, info: StepResult['info']): Promise<StepResult> {
    const { seen, totalReward, terminated, recordsState } = episode;
    const state = recordsState || terminated ? await this.#stateOf(episode).catch(ifRefused) : null;
    return {
      observation: seen.observation,
      reward: seen.reward,
      terminated,
      info: { ...info, total_reward: totalReward, ...(state === null ? {} : { state }) },
      error: null,
    };
  }

  async #stateOf(episode: Episode): Promise<Json> {
    episode.state ??= await episode.session.state();
    return episode.state;
  }

  #current(): Episode {
    if (this.#episode === null) {
      throw new EnvironmentError('environment_failed', 'The environment has no task yet. Reset it first.');
    }
    return this.#episode;
  }
}

function ifRefused(error: unknown): null {
  if (error instanceof Refused) return null;
  throw error;
}

/** How an episode begins; null where the environment refuses to begin one. */
function resetTo(session: OpenEnvSession, args: JsonObject): Promise<Beginning | null> {
  return session.reset(args).then((answer) => beginning(session, answer), ifRefused);
}

async function beginning(session: OpenEnvSession, answer: EnvironmentAnswer): Promise<Beginning> {
  return { ...answer, state: (await session.state().catch(ifRefused)) ?? {} };
}

async function seenIn({ observation, reward }: EnvironmentAnswer): Promise<Seen> {
  const { data, picture } = await takePicture(observation);
  return { observation: { text: printObservation(data), screenshot: picture, data }, reward };
}

/** Throws where an answer breaks the schema of the environment. */
function assertValid(address: string, validate: Validator, { observation, reward, done }: EnvironmentAnswer): void {
  // The server moves these two out of the observation.
  const wrong = validate({ done, reward, ...observation });
  if (wrong === null) return;
  throw new EnvironmentError(
    'environment_failed',
    `The OpenEnv server at ${address} sent an observation that breaks its own schema: ${wrong}. (It sends NaN and Infinity as null.)`,
  );
}

/** Whether a call may ask for the state: any user-defined function may. */
function mayAskState(call: Task['evaluate'][number]): boolean {
  return findBuiltin(call.function) === undefined || judges(call, 'state');
}

function record(input: ActionInput, normalised: ActionRecord['normalised'], error: string | null): ActionRecord {
  return { input, normalised, error, typed: null, matches: async () => false };
}
