import WebSocket from 'ws';
import * as z from 'zod';
import { CodedError } from '../../base/coded-error.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { patient } from '../../base/patience.ts';
import { withoutCredentials } from '../credentials.ts';
import { EnvironmentError } from '../environment.ts';
import type { Addresses } from './addresses.ts';
import { connectionError, notOpenEnv, redirected } from './connection-error.ts';

/** The largest message that a server takes; it closes the connection at a larger one. In bytes. */
export const MAX_SENT_BYTES = 16 * 1024 * 1024;
/** The largest answer that is taken, as by OpenEnv's own client. In bytes. */
const MAX_RECEIVED_BYTES = 100 * 1024 * 1024;
/** Time limit for a connection, as of OpenEnv's own client, in ms. */
const CONNECT_LIMIT = patient(10_000);
/** How long a server with no room is asked again, in ms: it gives the place of a session that ended only afterwards. */
const ROOM_LIMIT = patient(10_000);
const ROOM_PAUSE = 200;
/** How long a server may take to close a session, in ms. */
const CLOSE_LIMIT = 2_000;

/** The answer to a reset or a step. */
export interface EnvironmentAnswer {
  readonly observation: JsonObject;
  readonly reward: number | null;
  readonly done: boolean;
}

/** The server did not carry out a request, and the session goes on. */
export class Refused extends CodedError {
  override readonly name = 'Refused';
}

/** What was parsed is JSON: nothing is gained by going through the numbers of a picture again. */
const objectSchema = z.custom<JsonObject>(isObject, 'expected an object');
const answerSchema = z.object({
  observation: objectSchema,
  reward: z.union([z.number(), z.boolean(), z.null()]).default(null),
  done: z.boolean().default(false),
});
const frameSchema = z.object({ type: z.string(), data: objectSchema.default({}) });
const errorSchema = z.object({
  message: z.string().default('no reason was given'),
  code: z.string().default(''),
  active_sessions: z.number().optional(),
  max_sessions: z.number().optional(),
  errors: z.array(z.looseObject({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() })).optional(),
});

interface Waiting {
  readonly what: string;
  readonly expected: string;
  readonly timer: NodeJS.Timeout | undefined;
  resolve(data: z.infer<typeof objectSchema>): void;
  reject(error: Error): void;
}

/** One session of an OpenEnv server: one episode after the other, over one WebSocket. */
export class OpenEnvSession {
  /** Of the server, over HTTP. */
  readonly address: string;
  readonly #socket: WebSocket;
  readonly #limit: number | null;
  readonly #waiting: Waiting[] = [];
  #failure: EnvironmentError | null = null;
  readonly #closed: Promise<void>;

  private constructor(address: string, socket: WebSocket, limit: number | null) {
    this.address = address;
    this.#socket = socket;
    this.#limit = limit;
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(this.#broken(error)));
    this.#closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        this.#fail(lost(address, `closed the session${closeWords(code, reason.toString())}`));
        resolve();
      });
    });
  }

  /**
   * Connects to a server. Rejects with `EnvironmentError`.
   * @param limit time limit for each answer, in ms; null for none
   */
  static async open({ http, sessions }: Addresses, limit: number | null): Promise<OpenEnvSession> {
    const socket = new WebSocket(sessions, {
      maxPayload: MAX_RECEIVED_BYTES,
      handshakeTimeout: CONNECT_LIMIT,
      followRedirects: false,
      // Compressing costs more time than it saves on one machine, and OpenEnv's own client does without it there.
      perMessageDeflate: false,
    });
    const session = new OpenEnvSession(withoutCredentials(http), socket, limit);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', (error) => reject(connectionError(http, error)));
      socket.once('unexpected-response', (_request, response) => {
        const status = response.statusCode ?? 0;
        const { location } = response.headers;
        response.destroy();
        reject(
          status >= 300 && status < 400
            ? redirected(http, location ?? null)
            : notOpenEnv(sessions, `answers with HTTP status ${status} and not with a session of OpenEnv`),
        );
      });
    });
    return session;
  }

  /**
   * Connects to a server and resets its environment. A server without room is asked again for a while. Rejects with
   * `EnvironmentError`, or with `Refused`.
   */
  static async start(
    addresses: Addresses,
    limit: number | null,
    reset: JsonObject,
  ): Promise<{ readonly session: OpenEnvSession; readonly answer: EnvironmentAnswer }> {
    for (const begun = performance.now(); ; ) {
      const session = await OpenEnvSession.open(addresses, limit);
      try {
        return { session, answer: await session.reset(reset) };
      } catch (error) {
        await session.close();
        const isFull = error instanceof EnvironmentError && error.code === 'environment_full';
        if (!isFull || performance.now() - begun > ROOM_LIMIT) throw error;
        await new Promise((resolve) => setTimeout(resolve, ROOM_PAUSE));
      }
    }
  }

  async reset(args: JsonObject): Promise<EnvironmentAnswer> {
    return this.#answerOf(await this.#request('reset', JSON.stringify({ type: 'reset', data: args }), 'observation'));
  }

  /** Rejects with `Refused` where the action was not carried out. */
  async step(action: JsonObject): Promise<EnvironmentAnswer> {
    const text = JSON.stringify({ type: 'step', data: action });
    const size = Buffer.byteLength(text);
    if (size > MAX_SENT_BYTES) {
      const mebibytes = (size / 1024 / 1024).toFixed(1);
      throw new Refused(
        'action_too_large',
        `The action has ${mebibytes} MiB, and an OpenEnv server takes at most 16 MiB. Make it smaller.`,
      );
    }
    return this.#answerOf(await this.#request('step', text, 'observation'));
  }

  async state(): Promise<JsonObject> {
    return this.#request('state', '{"type":"state"}', 'state');
  }

  /** A request of MCP to the environment of this session. */
  async mcp(method: string): Promise<JsonObject> {
    const data = { jsonrpc: '2.0', id: 1, method, params: {} };
    return this.#request(method, JSON.stringify({ type: 'mcp', data }), 'mcp');
  }

  /** Ends the session, so that the server gives its place to another one. Never rejects. */
  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send('{"type":"close"}');
      await Promise.race([this.#closed, new Promise((resolve) => setTimeout(resolve, CLOSE_LIMIT).unref())]);
    }
    this.#socket.terminate();
  }

  #request(what: string, text: string, expected: string): Promise<z.infer<typeof objectSchema>> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const limit = this.#limit;
    return new Promise((resolve, reject) => {
      const late = (): void => {
        // The answer would be taken for that to the next request: nothing says which request it belongs to.
        this.#fail(
          lost(
            this.address,
            `did not answer “${what}” within ${Number(limit) / 1000} s, so the session was dropped. Set "timeout" in "gym" if it needs longer`,
          ),
        );
        this.#socket.terminate();
      };
      const timer = limit === null ? undefined : setTimeout(late, limit);
      this.#waiting.push({ what, expected, timer, resolve, reject });
      this.#socket.send(text);
    });
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const frame = isBinary ? null : readFrame(data);
    if (frame === null) {
      this.#fail(invalid(this.address, 'sent a message that is not a JSON object with a "type"'));
      this.#socket.terminate();
      return;
    }
    const { type, data: content } = frame;
    if (type === 'error') {
      this.#refuse(content);
      return;
    }
    const first = this.#waiting.shift();
    if (first === undefined) return;
    clearTimeout(first.timer);
    if (type === first.expected) first.resolve(content);
    else first.reject(invalid(this.address, `answered “${first.what}” with a message of type “${type}”`));
  }

  #refuse(content: z.infer<typeof objectSchema>): void {
    const read = errorSchema.safeParse(content);
    const error = read.success ? read.data : errorSchema.parse({});
    const fatal = fatalError(this.address, error);
    if (fatal !== null) {
      this.#fail(fatal);
      return;
    }
    const first = this.#waiting.shift();
    if (first === undefined) return;
    clearTimeout(first.timer);
    first.reject(new Refused(error.code, refusalWords(error)));
  }

  #answerOf(data: z.infer<typeof objectSchema>): EnvironmentAnswer {
    const read = answerSchema.safeParse(data);
    if (!read.success) {
      const [issue] = read.error.issues;
      throw invalid(this.address, `sent an answer in another form: ${issue?.path.join('.')}: ${issue?.message}`);
    }
    const { observation, reward, done } = read.data;
    return { observation, reward: typeof reward === 'boolean' ? Number(reward) : reward, done };
  }

  #broken(error: NodeJS.ErrnoException): EnvironmentError {
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
      return invalid(this.address, 'sent an answer of more than 100 MiB, which is not taken');
    }
    return lost(this.address, `lost the connection: ${error.message}`);
  }

  #fail(error: EnvironmentError): void {
    this.#failure ??= error;
    for (const one of this.#waiting.splice(0)) {
      clearTimeout(one.timer);
      one.reject(this.#failure);
    }
  }
}

/** Null for a message that is not a frame, which the caller reports. */
function readFrame(data: Buffer): z.infer<typeof frameSchema> | null {
  try {
    return frameSchema.parse(JSON.parse(data.toString('utf8')));
  } catch {
    return null;
  }
}

/** An error after which the server closes the session; null for one that leaves it open. */
function fatalError(address: string, error: z.infer<typeof errorSchema>): EnvironmentError | null {
  const { code, message, max_sessions } = error;
  switch (code) {
    case 'CAPACITY_REACHED': {
      const most = max_sessions === undefined ? 'no more' : `at most ${max_sessions}`;
      return new EnvironmentError(
        'environment_full',
        `The OpenEnv server at ${address} has no room for another session: it takes ${most} at once. Run fewer at once (--concurrency ${max_sessions ?? 1}), or start the server with a larger max_concurrent_envs.`,
      );
    }
    case 'FACTORY_ERROR':
      return new EnvironmentError(
        'environment_failed',
        `The OpenEnv server at ${address} cannot make its environment: ${message} Its log says why.`,
      );
    case 'SESSION_ERROR':
      return new EnvironmentError(
        'environment_failed',
        `The OpenEnv server at ${address} ended the session because of an error of its own: ${message}. Its log says more.`,
      );
    case 'INVALID_JSON':
    case 'UNKNOWN_TYPE':
      return new EnvironmentError(
        'version_mismatch',
        `The OpenEnv server at ${address} does not understand Taskwright’s messages: ${message}. Its version of OpenEnv may be too old or too new; Taskwright knows openenv 0.10.`,
      );
    default:
      return null;
  }
}

/** `action: Input should be 'UP'`, in the words of the server. */
function refusalWords({ message, errors = [] }: z.infer<typeof errorSchema>): string {
  if (errors.length === 0) return message;
  return errors.map(({ loc, msg }) => (loc.length === 0 ? msg : `${loc.join('.')}: ${msg}`)).join('; ');
}

function lost(address: string, what: string): EnvironmentError {
  return new EnvironmentError('environment_lost', `The OpenEnv server at ${address} ${what}.`);
}

function invalid(address: string, what: string): EnvironmentError {
  return new EnvironmentError('environment_failed', `The OpenEnv server at ${address} ${what}.`);
}

function closeWords(code: number, reason: string): string {
  if (code === 1009) return ': a message was too large for it (1009)';
  // No message said goodbye: the server ended, or the network did.
  if (code === 1006) return ' without a word: it may have ended';
  return ` (${code}${reason === '' ? '' : `, ${reason}`})`;
}
