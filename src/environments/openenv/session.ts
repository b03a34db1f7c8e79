import { setTimeout as pause } from 'node:timers/promises';
import WebSocket from 'ws';
import * as z from 'zod';
import { CodedError } from '../../base/coded-error.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { patient } from '../../base/patience.ts';
import { withTimeout } from '../../base/timeout.ts';
import { withoutCredentials } from '../credentials.ts';
import { EnvironmentError } from '../environment.ts';
import type { Addresses } from './addresses.ts';
import { connectionError, notOpenEnv, redirectError, serverError } from './connection-error.ts';

/** The maximum size of a message to a server, in bytes. It closes the connection after a larger one. */
export const MAX_SENT_BYTES = 16 * 1024 * 1024;
/** The maximum size of an answer in bytes, as in OpenEnv's own client. */
const MAX_RECEIVED_BYTES = 100 * 1024 * 1024;
/** Time limit for a connection, as of OpenEnv's own client, in ms. */
const CONNECT_LIMIT = patient(10_000);
/** How long to retry if a server has no room, in ms. It frees the place of a session only some time after its end. */
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

/** The server did not carry out a request. The session continues. */
export class RefusalError extends CodedError {
  override readonly name = 'RefusalError';
}

/** Parsed JSON is not validated again, because a picture may consist of many numbers. */
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

interface PendingRequest {
  readonly what: string;
  /** The type of the answer. */
  readonly answerType: string;
  readonly timer: NodeJS.Timeout | undefined;
  resolve(data: JsonObject): void;
  reject(error: Error): void;
}

/** One session of an OpenEnv server: consecutive episodes over one WebSocket. */
export class OpenEnvSession {
  /** Of the server, over HTTP. */
  readonly address: string;
  readonly #socket: WebSocket;
  readonly #limit: number | null;
  readonly #pending: PendingRequest[] = [];
  #failure: EnvironmentError | null = null;
  readonly #end = Promise.withResolvers<void>();

  private constructor(address: string, socket: WebSocket, limit: number | null) {
    this.address = address;
    this.#socket = socket;
    this.#limit = limit;
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(this.#lostConnection(error)));
    socket.once('close', (code, reason) => {
      const what = `closed the session${closeReason(code, reason.toString())}.`;
      this.#fail(serverError('environment_lost', address, what));
      this.#end.resolve();
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
      // Compression costs more time than it saves on one machine, where OpenEnv's own client does not use it either.
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
            ? redirectError(http, location ?? null)
            : notOpenEnv(sessions, `answers with HTTP status ${status} and not with a session of OpenEnv`),
        );
      });
    });
    return session;
  }

  /**
   * Connects to a server and resets its environment. Retries for a while if the server has no room. Rejects with
   * `EnvironmentError`, or with `RefusalError`.
   */
  static async start(
    addresses: Addresses,
    limit: number | null,
    reset: JsonObject,
  ): Promise<{ readonly session: OpenEnvSession; readonly answer: EnvironmentAnswer }> {
    for (const start = performance.now(); ; ) {
      const session = await OpenEnvSession.open(addresses, limit);
      try {
        return { session, answer: await session.reset(reset) };
      } catch (error) {
        await session.close();
        const isFull = error instanceof EnvironmentError && error.code === 'environment_full';
        if (!isFull || performance.now() - start > ROOM_LIMIT) throw error;
        await pause(ROOM_PAUSE);
      }
    }
  }

  async reset(args: JsonObject): Promise<EnvironmentAnswer> {
    return this.#answerOf(await this.#request('reset', JSON.stringify({ type: 'reset', data: args }), 'observation'));
  }

  /** Rejects with `RefusalError` if the action was not carried out. */
  async step(action: JsonObject): Promise<EnvironmentAnswer> {
    const text = JSON.stringify({ type: 'step', data: action });
    const size = Buffer.byteLength(text);
    if (size > MAX_SENT_BYTES) {
      const mebibytes = (size / 1024 / 1024).toFixed(1);
      const message = `The action has ${mebibytes} MiB, and an OpenEnv server takes at most 16 MiB. Make it smaller.`;
      throw new RefusalError('action_too_large', message);
    }
    return this.#answerOf(await this.#request('step', text, 'observation'));
  }

  async state(): Promise<JsonObject> {
    return this.#request('state', '{"type":"state"}', 'state');
  }

  /** Sends a request of MCP to the environment of this session. */
  async mcp(method: string): Promise<JsonObject> {
    const data = { jsonrpc: '2.0', id: 1, method, params: {} };
    return this.#request(method, JSON.stringify({ type: 'mcp', data }), 'mcp');
  }

  /** Ends the session, which frees its place on the server. Never rejects. */
  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send('{"type":"close"}');
      await withTimeout(CLOSE_LIMIT, this.#end.promise);
    }
    this.#socket.terminate();
  }

  #request(what: string, text: string, answerType: string): Promise<JsonObject> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const limit = this.#limit;
    return new Promise((resolve, reject) => {
      const drop = (): void => {
        // A late answer would be mistaken for the answer to the next request, because answers have no ids.
        const failure = `did not answer “${what}” within ${Number(limit) / 1000} s, so the session was dropped. Set "timeout" in "gym" if it needs longer.`;
        this.#fail(serverError('environment_lost', this.address, failure));
        this.#socket.terminate();
      };
      const timer = limit === null ? undefined : setTimeout(drop, limit);
      this.#pending.push({ what, answerType, timer, resolve, reject });
      this.#socket.send(text);
    });
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const frame = isBinary ? null : readFrame(data);
    if (frame === null) {
      this.#fail(this.#invalid('sent a message that is not a JSON object with a "type"'));
      this.#socket.terminate();
      return;
    }
    const { type, data: content } = frame;
    if (type === 'error') {
      this.#refuse(content);
      return;
    }
    const request = this.#nextPending();
    if (type === request?.answerType) request.resolve(content);
    else request?.reject(this.#invalid(`answered “${request.what}” with a message of type “${type}”`));
  }

  #refuse(content: JsonObject): void {
    const error = errorSchema.safeParse(content).data ?? errorSchema.parse({});
    const fatal = fatalError(this.address, error);
    if (fatal !== null) this.#fail(fatal);
    else this.#nextPending()?.reject(new RefusalError(error.code, refusalReason(error)));
  }

  /** Answers arrive in the order of the requests. */
  #nextPending(): PendingRequest | undefined {
    const request = this.#pending.shift();
    clearTimeout(request?.timer);
    return request;
  }

  #answerOf(content: JsonObject): EnvironmentAnswer {
    const { data, error } = answerSchema.safeParse(content);
    if (error !== undefined) {
      const [issue] = error.issues;
      throw this.#invalid(`sent an answer in another form: ${issue?.path.join('.')}: ${issue?.message}`);
    }
    const { observation, reward, done } = data;
    return { observation, reward: typeof reward === 'boolean' ? Number(reward) : reward, done };
  }

  #lostConnection(error: NodeJS.ErrnoException): EnvironmentError {
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
      return this.#invalid('sent an answer of more than 100 MiB, which is not taken');
    }
    return serverError('environment_lost', this.address, `lost the connection: ${error.message}.`);
  }

  #invalid(what: string): EnvironmentError {
    return serverError('environment_failed', this.address, `${what}.`);
  }

  #fail(error: EnvironmentError): void {
    this.#failure ??= error;
    for (const { timer, reject } of this.#pending.splice(0)) {
      clearTimeout(timer);
      reject(this.#failure);
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
      const what = `has no room for another session: it takes ${most} at once. Run fewer at once (--concurrency ${max_sessions ?? 1}), or start the server with a larger max_concurrent_envs.`;
      return serverError('environment_full', address, what);
    }
    case 'FACTORY_ERROR':
      return serverError('environment_failed', address, `cannot make its environment: ${message} Its log says why.`);
    case 'SESSION_ERROR': {
      const what = `ended the session because of an error of its own: ${message}. Its log says more.`;
      return serverError('environment_failed', address, what);
    }
    case 'INVALID_JSON':
    case 'UNKNOWN_TYPE': {
      const what = `does not understand Taskwright’s messages: ${message}. Its version of OpenEnv may be too old or too new; Taskwright knows openenv 0.10.`;
      return serverError('version_mismatch', address, what);
    }
    default:
      return null;
  }
}

/** `action: Input should be 'UP'`, in the words of the server. */
function refusalReason({ message, errors = [] }: z.infer<typeof errorSchema>): string {
  if (errors.length === 0) return message;
  return errors.map(({ loc, msg }) => (loc.length === 0 ? msg : `${loc.join('.')}: ${msg}`)).join('; ');
}

function closeReason(code: number, reason: string): string {
  if (code === 1009) return ': a message was too large for it (1009)';
  // The connection ended without a closing message.
  if (code === 1006) return ' without a word: it may have ended';
  return ` (${code}${reason === '' ? '' : `, ${reason}`})`;
}
