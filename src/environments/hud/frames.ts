import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { isObject, type JsonObject } from '../../base/json.ts';
import { nesting } from '../../base/json-scan.ts';
import { patient } from '../../base/patience.ts';
import { parsePythonJson } from '../../python/json.ts';

/** The maximum length of a line to a server since HUD 0.6.13, and before it. In bytes, without the line end. */
export const LINE_LIMIT = 16 * 1024 * 1024;
export const OLD_LINE_LIMIT = 64 * 1024;
/** The maximum length of a line of a server in bytes: several times what HUD sends. */
const RECEIVED_LIMIT = 4 * LINE_LIMIT;
/** The maximum nesting of a frame. Python reads about 1000 levels. */
const MAX_DEPTH = 500;
/** Time limit for a connection, in ms. */
const CONNECT_LIMIT = patient(10_000);

export interface FrameListener {
  onFrame(frame: JsonObject): void;
  /** The connection has ended. `reason`: the end of a sentence. */
  onEnd(reason: string): void;
}

/** A TCP connection that carries JSON objects, one in a line: the framing of HUD's control channel. */
export class FrameSocket {
  readonly #socket: Socket;
  readonly #listener: FrameListener;
  #chunks: Buffer[] = [];
  #length = 0;
  #ended = false;

  private constructor(socket: Socket, listener: FrameListener) {
    this.#socket = socket;
    this.#listener = listener;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 60_000);
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      this.#end(`broke the connection (${error.code ?? error.message})`),
    );
    socket.on('close', () => this.#close());
  }

  /** Rejects with the system error of the connection. */
  static async open(host: string, port: number, listener: FrameListener): Promise<FrameSocket> {
    const socket = connect({ host, port });
    socket.setTimeout(CONNECT_LIMIT, () =>
      socket.destroy(Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT', syscall: 'connect' })),
    );
    await once(socket, 'connect');
    socket.setTimeout(0).removeAllListeners('timeout');
    return new FrameSocket(socket, listener);
  }

  send(line: string): void {
    this.#socket.write(`${line}\n`);
  }

  /** Closes the connection immediately. The listener is not called anymore. */
  destroy(): void {
    this.#ended = true;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(10, from);
      if (at === -1) break;
      const line = Buffer.concat([...this.#chunks, chunk.subarray(from, at)]);
      this.#chunks = [];
      this.#length = 0;
      from = at + 1;
      if (!this.#take(line)) return;
    }
    if (from === chunk.length) return;
    this.#chunks.push(chunk.subarray(from));
    this.#length += chunk.length - from;
    if (this.#length > RECEIVED_LIMIT) this.#refuse(`sent a line of more than ${RECEIVED_LIMIT / 1024 / 1024} MiB`);
  }

  #take(line: Buffer): boolean {
    const frame = readFrame(line);
    if (typeof frame === 'string') return this.#refuse(`sent a line that ${frame}: ${line.toString('utf8', 0, 200)}`);
    this.#listener.onFrame(frame);
    return !this.#ended;
  }

  #close(): void {
    // The last line may lack a line break.
    const frame = readFrame(Buffer.concat(this.#chunks));
    if (!this.#ended && typeof frame !== 'string') this.#listener.onFrame(frame);
    this.#end('closed the connection');
  }

  #refuse(reason: string): false {
    this.#end(reason);
    this.#socket.destroy();
    return false;
  }

  #end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listener.onEnd(reason);
  }
}

/** The JSON object in a line; otherwise the problem with it, as the end of a sentence. */
function readFrame(line: Buffer): JsonObject | string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(line);
    if (nesting(text) > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep`;
    const value = parsePythonJson(text);
    return isObject(value) ? value : 'is not a JSON object';
  } catch {
    return 'is not JSON';
  }
}
