import { type Json, type JsonObject, objectOf } from '../../base/json.ts';
import { nearestWord } from '../../base/nearest.ts';
import type { NumberTexts } from '../../python/numbers.ts';
import { withoutCredentials } from '../credentials.ts';
import { EnvironmentError } from '../environment.ts';
import { type Capability, capabilitiesIn } from './capability.ts';
import { ControlChannel, Refused } from './channel.ts';
import type { Frame } from './frames.ts';

/** JSON-RPC's codes for a request that was not carried out. */
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;

/** A session that no server has. */
const NO_SESSION = 'taskwright-no-such-session';

/** A session of a HUD environment, which has one task at a time. It outlives its connection. */
export class HudSession {
  readonly address: string;
  /** What the environment offers to agents. */
  capabilities: readonly Capability[] = [];
  /** The server is older than HUD 0.6.13: it has one task at a time, whatever its sessions. */
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
      // Only servers that keep sessions apart look at the session that a client asks for.
      session.holdsOneTask = await session.#channel.request('hello', { session_id: NO_SESSION }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Refused) return false;
          throw error;
        },
      );
      session.capabilities = capabilitiesIn(welcome['bindings']);
      session.#id = typeof welcome['session_id'] === 'string' ? welcome['session_id'] : null;
      return session;
    } catch (error) {
      await session.close();
      throw failed(address, 'does not welcome Taskwright', error);
    }
  }

  /**
   * Starts a task; answers with its first frame. Rejects with `EnvironmentError`, or with `Refused` by the task's code.
   * @param numbers how numbers in `{args}` are written
   */
  async start(template: string, args: JsonObject, numbers: NumberTexts = {}): Promise<Frame> {
    try {
      return await this.#channel.request('tasks.start', { id: template, args }, null, numbers);
    } catch (error) {
      if (error instanceof Refused && error.code === INVALID_PARAMS) throw await this.#unknown(template, error);
      throw error;
    }
  }

  /** The verdict on the task with this answer; the task is over. Rejects as `start`. */
  async grade(answer: Json): Promise<Json> {
    if (!this.#channel.isOpen) await this.#resume();
    return this.#channel.request('tasks.grade', { answer }, null);
  }

  /** Ends what the task does now. */
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

  /** Connects again to the task, which the server has kept. */
  async #resume(): Promise<void> {
    this.#channel = await ControlChannel.open(this.address);
    try {
      await this.#channel.request('hello', this.#id === null ? {} : { session_id: this.#id });
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== INVALID_REQUEST) throw error;
      throw new EnvironmentError(
        'environment_lost',
        `The HUD environment at ${withoutCredentials(this.address)} lost the task when the connection broke: ${error.message}.`,
        { cause: error },
      );
    }
  }

  async #unknown(template: string, refused: Refused): Promise<EnvironmentError> {
    // Without the names of the others, the error is that of the server.
    const { tasks } = objectOf(await this.#channel.request('tasks.list', {}).catch(() => null));
    const names = (Array.isArray(tasks) ? (tasks as readonly Json[]) : []).flatMap((task) => {
      const { id } = objectOf(task);
      return typeof id === 'string' ? [id] : [];
    });
    if (names.length === 0 || names.includes(template)) return failed(this.address, 'refuses the task', refused);
    const near = nearestWord(template, names);
    const hint = near === null ? `It has ${names.slice(0, 20).join(', ')}.` : `Did you mean “${near}”?`;
    return new EnvironmentError('start_failed', `The HUD environment has no template “${template}”. ${hint}`, {
      cause: refused,
    });
  }
}

function failed(address: string, what: string, error: unknown): EnvironmentError {
  if (error instanceof EnvironmentError) return error;
  const message = `The HUD environment at ${withoutCredentials(address)} ${what}: ${(error as Error).message}`;
  return new EnvironmentError('environment_failed', message, { cause: error });
}
