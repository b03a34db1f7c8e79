import type { ActionInput } from '../actions/action.ts';
import { takesObjects } from '../actions/normal.ts';
import type { Agent } from '../agents/agent.ts';
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { parseJson } from '../base/parse-json.ts';
import { describeDialog } from '../environments/dialog.ts';
import { actionDialect } from '../environments/kinds.ts';
import type { ListedTool } from '../environments/mcp/listed-tools.ts';
import type { EnvironmentSpec, Task } from '../tasks/task.ts';
import type { RunRecord } from '../traces/trace.ts';
import { Episode, EpisodeFailure, type EpisodeResult, judgingOf } from './episode.ts';
import { type ChatMessage, metadataOf, observationJson, withMessage } from './observation.ts';
import { ServedError, type ServedResult, type ServedSession } from './served-environment.ts';

/** The largest seed of a run: every whole number up to it is exact. */
const MAX_SEED = Number.MAX_SAFE_INTEGER;

/** A run that a session has started. */
export interface StartedRun {
  readonly runId: string;
  /** Ends the run as cancelled. */
  cancel(): void;
  /** Runs the task with the client as its agent. Never rejects. */
  run(client: Agent): Promise<RunRecord>;
}

/** What a session needs from the server. */
export interface SessionHost {
  /** The task that `reset` requests. Rejects with `ServedError`. */
  choose(args: JsonObject): Promise<{ readonly task: Task; readonly name: string }>;
  /** Prepares a run. Rejects with `ServedError`. */
  prepare(task: Task, seed: number): Promise<StartedRun>;
  /** Overrides the limits of tasks. */
  readonly maxSteps: number | null;
  /** Whether observations have screenshots. */
  readonly screenshots: boolean;
}

/** One session of a client: each reset begins a run, which the client's actions make. */
export class RunningSession implements ServedSession {
  readonly #host: SessionHost;
  #current: { readonly task: Task; readonly name: string; readonly episode: Episode; readonly run: StartedRun } | null =
    null;
  #last: EpisodeResult | null = null;
  #episodeId: string | null = null;
  #totalReward = 0;
  /** When the episode began, in ms since 1970. */
  #began = 0;
  #lastAction = '';
  #chat: readonly ChatMessage[] = [];
  #closed = false;

  constructor(host: SessionHost) {
    this.#host = host;
  }

  async reset(args: JsonObject): Promise<ServedResult> {
    const seed = seedOf(args['seed']);
    const episodeId = args['episode_id'] ?? null;
    if (episodeId !== null && typeof episodeId !== 'string') {
      throw new ServedError('bad_argument', '"episode_id" is a text.');
    }
    const { task, name } = await this.#host.choose(args);
    // If the requested task does not exist, the episode continues.
    await this.#endEpisode();
    const run = await this.#host.prepare(task, seed);
    if (this.#closed) throw new ServedError('episode_over', 'The session is closed.');
    const episode = new Episode(judgingOf(task));
    this.#current = { task, name, episode, run };
    this.#episodeId = episodeId ?? run.runId;
    this.#began = Date.now();
    this.#lastAction = '';
    this.#chat = [];
    return await this.#resultOf(episode.begin((client) => run.run(client)));
  }

  step(action: string): Promise<ServedResult> {
    return this.#step(action, false);
  }

  async act(action: string): Promise<void> {
    await this.#step(action, true);
  }

  async #step(action: string, isAgent: boolean): Promise<ServedResult> {
    const current = this.#current;
    if (current === null) throw new ServedError('not_reset', 'The environment has no task yet. Reset it first.');
    const goesOn = this.#last?.done === false || (isAgent && this.#last?.lingers === true);
    if (!goesOn) throw new ServedError('episode_over', 'The episode is over. Reset the environment to begin another.');
    this.#lastAction = action;
    return await this.#resultOf(current.episode.step(actionOf(action, current.task.env), isAgent));
  }

  state(): JsonObject {
    const env = this.#current?.task.env;
    const { task = null, name = null } = this.#current ?? {};
    return {
      episode_id: this.#episodeId,
      step_count: this.#last?.steps ?? 0,
      benchmark: String(env?.['benchmark'] ?? env?.type ?? ''),
      task_name: String(env?.['task_name'] ?? name ?? ''),
      task_id: name,
      goal: this.#last?.prompt ?? '',
      current_url: this.#last?.result.info.url ?? '',
      max_steps: this.#host.maxSteps ?? task?.max_steps ?? null,
      cum_reward: this.#totalReward,
    };
  }

  tools(): readonly ListedTool[] {
    return this.#current?.episode.tools ?? [];
  }

  observe(): string | null {
    if (this.#last === null) return null;
    const { prompt, result, done, lingers } = this.#last;
    const { observation, error } = result;
    const parts = [`Task: ${prompt}`];
    if (observation.dialog !== undefined) parts.push(describeDialog(observation.dialog));
    if (observation.text !== null && observation.text !== prompt) parts.push(observation.text);
    else if (observation.data !== undefined) parts.push(JSON.stringify(observation.data));
    for (const { output, exit_code } of result.info.outputs ?? []) parts.push(`${output}\n(exit code ${exit_code})`);
    if (error !== null) parts.push(`The last action failed: ${error.message}`);
    if (done && lingers !== true) parts.push('The episode is over.');
    return parts.join('\n\n');
  }

  async close(isAbandoned: boolean): Promise<void> {
    this.#closed = true;
    if (isAbandoned) this.#current?.run.cancel();
    await this.#endEpisode();
  }

  async #resultOf(showing: Promise<EpisodeResult>): Promise<ServedResult> {
    const { task } = this.#current ?? {};
    if (task === undefined) throw new Error('The session has no task.');
    try {
      const episodeResult = await showing;
      this.#last = episodeResult;
      const { prompt, result, reward, done } = episodeResult;
      this.#totalReward += reward ?? 0;
      if (this.#chat.length === 0) this.#chat = withMessage(this.#chat, 'user', prompt);
      const { response } = result.info;
      if (response !== undefined) this.#chat = withMessage(this.#chat, 'assistant', response);
      const seconds = (Date.now() - this.#began) / 1000;
      const metadata = metadataOf(task, prompt, result, { action: this.#lastAction, seconds, chat: this.#chat });
      const observation = await observationJson(task, prompt, result, metadata, this.#host.screenshots);
      return { observation, metadata, reward, done };
    } catch (error) {
      if (!(error instanceof EpisodeFailure)) throw error;
      this.#last = this.#last && { ...this.#last, done: true };
      throw new ServedError('task_failed', error.message, { cause: error });
    }
  }

  async #endEpisode(): Promise<void> {
    const current = this.#current;
    this.#current = null;
    this.#last = null;
    this.#episodeId = null;
    this.#totalReward = 0;
    await current?.episode.end();
  }
}

function seedOf(seed: Json | undefined): number {
  if (seed === undefined || seed === null) return 0;
  if (typeof seed === 'number' && Number.isSafeInteger(seed)) return seed;
  throw new ServedError('bad_argument', `"seed" is a whole number from ${-MAX_SEED} to ${MAX_SEED}.`);
}

/** An action as a client sends it: an action string, or one action object as JSON. */
function actionOf(text: string, env: EnvironmentSpec): ActionInput {
  if (!/^\s*\{/.test(text)) return text;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return text;
  }
  if (!isObject(value)) return text;
  return typeof value['type'] === 'string' || takesObjects(actionDialect(env)) ? value : text;
}
