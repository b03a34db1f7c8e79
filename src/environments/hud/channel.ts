import type { Json } from '../../base/json.ts';
import { patient } from '../../base/patience.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { shown } from '../../python/json.ts';
import { type NumberTexts, printJson } from '../../python/numbers.ts';
import { withoutCredentials } from '../credentials.ts';
import { EnvironmentError } from '../environment.ts';
import { partsOf } from './address.ts';
import { type Frame, FrameSocket, isFrame, LINE_LIMIT, OLD_LINE_LIMIT } from './frames.ts';

/** How long a server may take to answer a request that runs no code of the task, in ms. */
const ANSWER_LIMIT = patient(30_000);
/** How long a server may take to say goodbye, in ms. */
const CLOSE_LIMIT = 2_000;

/** JSON-RPC's code for an answer that is none. */
const INTERNAL_ERROR = -32_603;

/** The server answered a request with an error, and the connection goes on. */
export class Refused extends Error {
  /** The code of JSON-RPC: -32000 is an exception of the task. */
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.name = 'Refused';
    this.code = code;
  }
}

interface Waiting {
  readonly method: string;
  readonly bytes: number;
  resolve(result: Frame): void;
  reject(error: Error): void;
}

/** One connection to the control channel of a HUD environment: requests and their answers. */
export class ControlChannel {
  /** `tcp://127.0.0.1:8765`, with a secret if it has one. */
  readonly address: string;
  #socket: FrameSocket | null = null;
  #lastId = 0;
  #failure: EnvironmentError | null = null;
  readonly #waiting = new Map<number, Waiting>();
  /** Requests that nobody waits for anymore. */
  readonly #late = new Set<number>();
  readonly #ended = Promise.withResolvers<void>();

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
        onEnd: (reason) => channel.#end(reason),
      });
      if (secret !== null) channel.#socket.send(secret);
    } catch (error) {
      throw new EnvironmentError(
        'environment_unreached',
        `The HUD environment at ${withoutCredentials(address)} does not answer: ${describeSystemError(error as NodeJS.ErrnoException)}. Check that it is running and that this is its address.`,
        { cause: error },
      );
    }
    return channel;
  }

  get isOpen(): boolean {
    return this.#failure === null;
  }

  /**
   * Sends a request. Rejects with `Refused` for an error of the task or of the request, and with `EnvironmentError` if the
   * connection ended.
   * @param limit time limit in ms; null for none, where the request runs code of the task
   * @param numbers how numbers in the parameters are written
   */
  async request(
    method: string,
    params: Frame,
    limit: number | null = ANSWER_LIMIT,
    numbers: NumberTexts = {},
  ): Promise<Frame> {
    if (this.#failure !== null) throw this.#failure;
    this.#lastId += 1;
    const id = this.#lastId;
    const line = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${printJson(params, numbers)}}`;
    const bytes = Buffer.byteLength(line);
    if (bytes > LINE_LIMIT) {
      throw new Refused(
        -32000,
        `The request ${method} has ${mebibytes(bytes)}, and HUD takes at most 16 MiB in a request.`,
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<Frame>();
    this.#waiting.set(id, { method, bytes, resolve, reject });
    this.#socket?.send(line);
    if (limit === null) return promise;
    const timer = setTimeout(() => {
      this.#waiting.delete(id);
      this.#late.add(id);
      reject(this.#error('environment_lost', `did not answer “${method}” within ${limit / 1000} s`));
    }, limit);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Ends the session and its task. Never rejects. */
  async close(): Promise<void> {
    if (this.isOpen) {
      // A server that does not answer is left without a goodbye.
      void this.request('bye', {}).catch(() => undefined);
      await Promise.race([this.#ended.promise, new Promise((resolve) => setTimeout(resolve, CLOSE_LIMIT).unref())]);
    }
    this.#end('was left');
    this.#socket?.destroy();
  }

  /** Breaks the connection, so that the server keeps the task of the session. */
  drop(): void {
    this.#end('was left');
    this.#socket?.destroy();
  }

  #receive(frame: Frame): void {
    const { id, result, error } = frame;
    // The answer to a line that the server did not read has no id.
    const key = (id ?? null) === null && error !== undefined ? [...this.#waiting.keys()].at(-1) : id;
    if (typeof key === 'number' && this.#late.delete(key)) return;
    const waiting = typeof key === 'number' ? this.#waiting.get(key) : undefined;
    if (waiting === undefined) {
      // Whoever waits for an answer would wait forever.
      this.#end(`sent what answers no request: ${shown(frame)}`);
      this.#socket?.destroy();
      return;
    }
    this.#waiting.delete(key as number);
    if (error !== undefined) waiting.reject(refusedBy(error));
    else if (isFrame(result)) waiting.resolve(result);
    else waiting.reject(new Refused(INTERNAL_ERROR, `“${waiting.method}” was answered with ${shown(result)}`));
  }

  #end(reason: string): void {
    if (this.#failure === null) {
      const [first] = this.#waiting.values();
      const size =
        first !== undefined && first.bytes > OLD_LINE_LIMIT
          ? `. It may be older than HUD 0.6.13: those take at most 64 KiB in a request, and “${first.method}” has ${mebibytes(first.bytes)}`
          : '';
      this.#failure = this.#error('environment_lost', `${reason}${size}`);
    }
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
    this.#ended.resolve();
  }

  #error(code: EnvironmentError['code'], what: string): EnvironmentError {
    return new EnvironmentError(code, `The HUD environment at ${withoutCredentials(this.address)} ${what}.`);
  }
}

function refusedBy(error: Json): Refused {
  const { code, message } = isFrame(error) ? error : {};
  return new Refused(
    typeof code === 'number' ? code : 0,
    typeof message === 'string' ? message : `an error without a message: ${shown(error)}`,
  );
}

function mebibytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
