import { type Json, type JsonObject, listOf, objectOf } from '../../base/json.ts';
import { nearestWord } from '../../base/nearest.ts';
import type { NumberTexts } from '../../python/numbers.ts';
import { EnvironmentError } from '../environment.ts';
import { type Capability, capabilitiesIn } from './capability.ts';
import { ControlChannel, RefusalError, serverError } from './channel.ts';

/** JSON-RPC's codes for a request that was not carried out. */
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;

/** A session that no server has. */
const NO_SESSION = 'taskwright-no-such-session';

/** A session of a HUD environment, with one task at a time. It outlives its connection. */
export class HudSession {
  readonly address: string;
  /** What the environment offers to agents. */
  capabilities: readonly Capability[] = [];
  /** The server is older than HUD 0.6.13: it has only one task at a time, in all sessions together. */
  holdsOneTask = false;
  #channel: ControlChannel;
  #id: string | null = null;

  private constructor(channel: ControlChannel) {
    this.address = channel.address;
    this.#channel = channel;
  }

  /** Rejects with `EnvironmentError`. */
  static async open(address: string): Promise<HudSession> {
    const session = new HudSession(await ControlChannel.open(address));
    try {
      const welcome = await session.#channel.request('hello', {});
      // Only servers that distinguish sessions check which session a client requests.
      session.holdsOneTask = await session.#channel.request('hello', { session_id: NO_SESSION }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof RefusalError) return false;
          throw error;
        },
      );
      session.capabilities = capabilitiesIn(welcome['bindings']);
      session.#id = typeof welcome['session_id'] === 'string' ? welcome['session_id'] : null;
      return session;
    } catch (error) {
      await session.close();
      throw failureOf(address, 'does not welcome Taskwright', error);
    }
  }

  /**
   * Starts a task; resolves with its first frame. Rejects with `EnvironmentError`, or with `RefusalError` if the task's code
   * fails.
   * @param numbers how numbers in `{args}` are written
   */
  async start(template: string, args: JsonObject, numbers: NumberTexts = {}): Promise<JsonObject> {
    try {
      return await this.#channel.request('tasks.start', { id: template, args }, null, numbers);
    } catch (error) {
      if (error instanceof RefusalError && error.code === INVALID_PARAMS)
        throw await this.#startFailure(template, error);
      throw error;
    }
  }

  /** The verdict on the task with this answer, which ends the task. Rejects as `start`. */
  async grade(answer: Json): Promise<Json> {
    if (!this.#channel.isOpen) await this.#resume();
    return this.#channel.request('tasks.grade', { answer }, null);
  }

  /** Cancels the running code of the task. */
  async cancel(): Promise<void> {
    await this.#channel.request('tasks.cancel', {});
  }

  /** Ends the session. Never rejects. */
  async close(): Promise<void> {
    await this.#channel.close();
  }

  /** Breaks the connection. The server keeps the task for the next request. */
  drop(): void {
    this.#channel.drop();
  }

  /** Reconnects to the task, which the server has kept. */
  async #resume(): Promise<void> {
    this.#channel = await ControlChannel.open(this.address);
    try {
      await this.#channel.request('hello', this.#id === null ? {} : { session_id: this.#id });
    } catch (error) {
      if (!(error instanceof RefusalError) || error.code !== INVALID_REQUEST) throw error;
      const what = `lost the task when the connection broke: ${error.message}.`;
      throw serverError('environment_lost', this.address, what, { cause: error });
    }
  }

  async #startFailure(template: string, cause: RefusalError): Promise<EnvironmentError> {
    // If the templates cannot be listed, the error is that of the server.
    const { tasks } = objectOf(await this.#channel.request('tasks.list', {}).catch(() => null));
    const names = listOf(tasks).flatMap((task) => {
      const { id } = objectOf(task);
      return typeof id === 'string' ? [id] : [];
    });
    if (names.length === 0 || names.includes(template)) return failureOf(this.address, 'refuses the task', cause);
    const near = nearestWord(template, names);
    const hint = near === null ? `It has ${names.slice(0, 20).join(', ')}.` : `Did you mean “${near}”?`;
    const message = `The HUD environment has no template “${template}”. ${hint}`;
    return new EnvironmentError('start_failed', message, { cause });
  }
}

function failureOf(address: string, what: string, error: unknown): EnvironmentError {
  if (error instanceof EnvironmentError) return error;
  return serverError('environment_failed', address, `${what}: ${(error as Error).message}`, { cause: error });
}
