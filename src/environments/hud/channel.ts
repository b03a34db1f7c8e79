import { isObject, type Json, type JsonObject, objectOf } from '../../base/json.ts';
import { patient } from '../../base/patience.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { withTimeout } from '../../base/timeout.ts';
import { abbreviateJson } from '../../python/json.ts';
import { type NumberTexts, printJson } from '../../python/numbers.ts';
import { type EnvironmentError, serverErrors } from '../environment.ts';
import { partsOf } from './address.ts';
import { FrameSocket, LINE_LIMIT, OLD_LINE_LIMIT } from './frames.ts';

/** How long a server may take to answer a request that runs no code of the task, in ms. */
const ANSWER_LIMIT = patient(30_000);
/** How long a server may take to say goodbye, in ms. */
const CLOSE_LIMIT = 2_000;

/** The codes of JSON-RPC for an exception of the task, and for an invalid answer. */
const SERVER_ERROR = -32_000;
const INTERNAL_ERROR = -32_603;

/** The server answered a request with an error. The connection continues. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  /** The code of JSON-RPC: -32000 is an exception of the task. */
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const serverError = serverErrors('HUD environment');

interface PendingRequest {
  readonly method: string;
  readonly bytes: number;
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

/** One connection to the control channel of a HUD environment: requests and their answers. */
export class ControlChannel {
  /** `tcp://127.0.0.1:8765`, with a secret if it has one. */
  readonly address: string;
  #socket: FrameSocket | null = null;
  #lastId = 0;
  #failure: EnvironmentError | null = null;
  readonly #pending = new Map<number, PendingRequest>();
  /** Requests that have exceeded their time limit. */
  readonly #late = new Set<number>();
  readonly #end = Promise.withResolvers<void>();

  private constructor(address: string) {
    this.address = address;
  }

  /** Connects to a server. Rejects with `EnvironmentError`. */
  static async open(address: string): Promise<ControlChannel> {
    const channel = new ControlChannel(address);
    const { hostname, port, secret } = partsOf(address);
    try {
      channel.#socket = await FrameSocket.open(hostname, port, {
        onFrame: (frame) => channel.#receive(frame),
        onEnd: (reason) => channel.#stop(reason),
      });
      if (secret !== null) channel.#socket.send(secret);
    } catch (error) {
      const what = `does not answer: ${describeSystemError(error)}. Check that it is running and that this is its address.`;
      throw serverError('environment_unreached', address, what, { cause: error });
    }
    return channel;
  }

  get isOpen(): boolean {
    return this.#failure === null;
  }

  /**
   * Sends a request. Rejects with `RefusalError` for an error of the task or of the request, and with `EnvironmentError` if the
   * connection ended.
   * @param limit time limit in ms; null for none, if the request runs code of the task
   * @param numbers how numbers in the parameters are written
   */
  async request(
    method: string,
    params: JsonObject,
    limit: number | null = ANSWER_LIMIT,
    numbers: NumberTexts = {},
  ): Promise<JsonObject> {
    if (this.#failure !== null) throw this.#failure;
    this.#lastId += 1;
    const id = this.#lastId;
    const line = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${printJson(params, numbers)}}`;
    const bytes = Buffer.byteLength(line);
    if (bytes > LINE_LIMIT) {
      const message = `The request ${method} has ${mebibytes(bytes)}, and HUD takes at most 16 MiB in a request.`;
      throw new RefusalError(SERVER_ERROR, message);
    }
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    this.#pending.set(id, { method, bytes, resolve, reject });
    this.#socket?.send(line);
    if (limit === null) return promise;
    const timer = setTimeout(() => {
      this.#pending.delete(id);
      this.#late.add(id);
      reject(serverError('environment_lost', this.address, `did not answer “${method}” within ${limit / 1000} s.`));
    }, limit);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Ends the session and its task. Never rejects. */
  async close(): Promise<void> {
    if (this.isOpen) {
      // The server may not answer.
      void this.request('bye', {}).catch(() => undefined);
      await withTimeout(CLOSE_LIMIT, this.#end.promise);
    }
    this.drop();
  }

  /** Breaks the connection, so that the server keeps the task of the session. */
  drop(): void {
    this.#stop('was left');
    this.#socket?.destroy();
  }

  #receive(frame: JsonObject): void {
    const { id, result, error } = frame;
    // The answer to a line that the server could not read has no id.
    const key = (id ?? null) === null && error !== undefined ? [...this.#pending.keys()].at(-1) : id;
    if (typeof key === 'number' && this.#late.delete(key)) return;
    const request = typeof key === 'number' ? this.#pending.get(key) : undefined;
    if (request === undefined) {
      // The pending requests may never be answered.
      this.#stop(`sent what answers no request: ${abbreviateJson(frame)}`);
      this.#socket?.destroy();
      return;
    }
    this.#pending.delete(key as number);
    if (error !== undefined) request.reject(refusalOf(error));
    else if (isObject(result)) request.resolve(result);
    else
      request.reject(
        new RefusalError(INTERNAL_ERROR, `“${request.method}” was answered with ${abbreviateJson(result)}`),
      );
  }

  #stop(reason: string): void {
    if (this.#failure === null) {
      const [first] = this.#pending.values();
      const size =
        first !== undefined && first.bytes > OLD_LINE_LIMIT
          ? `. It may be older than HUD 0.6.13: those take at most 64 KiB in a request, and “${first.method}” has ${mebibytes(first.bytes)}`
          : '';
      this.#failure = serverError('environment_lost', this.address, `${reason}${size}.`);
    }
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
    this.#end.resolve();
  }
}

function refusalOf(error: Json): RefusalError {
  const { code, message } = objectOf(error);
  return new RefusalError(
    typeof code === 'number' ? code : 0,
    typeof message === 'string' ? message : `an error without a message: ${abbreviateJson(error)}`,
  );
}

function mebibytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
