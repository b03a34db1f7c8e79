import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { patient } from '../../base/patience.ts';
import { type ControlAddress, partsOf } from './address.ts';

/** The maximum size of an answer to `tunnel.open` in bytes. */
const ANSWER_LIMIT = 64 * 1024;
/** Time limit for an answer to `tunnel.open`, in ms. */
const OPEN_LIMIT = patient(10_000);
/** Statuses of responses without a body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** `rest`: the bytes that have already arrived on the stream. */
type OnStream = (error: Error | null, socket: Socket, rest: Buffer) => void;

/**
 * HTTP to a capability of an environment. Each connection is one to the environment's own port, which HUD turns into a stream
 * of bytes. So no other port is needed, which another program could use.
 */
export class Tunnel extends Agent {
  /** Why the last connection was refused; null if it was not. */
  refusal: string | null = null;
  readonly #address: ControlAddress;
  readonly #capability: string;
  #isClosed = false;

  constructor(address: string, capability: string) {
    super({ keepAlive: true });
    this.#address = partsOf(address);
    this.#capability = capability;
  }

  /** Like the global `fetch`, for bodies that are texts. Follows no redirects. */
  readonly fetch = (url: string | URL, init: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      const { method = 'GET', headers, body, signal } = init;
      const request: ClientRequest = httpRequest(url, {
        agent: this,
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(signal ? { signal } : {}),
      });
      request.on('error', reject);
      request.once('response', (response) => {
        try {
          resolve(responseOf(response));
        } catch (error) {
          // The status is not one of HTTP.
          response.destroy();
          reject(error);
        }
      });
      request.end(typeof body === 'string' ? body : undefined);
    });

  override createConnection(_options: unknown, done?: (error: Error | null, socket: Socket) => void): undefined {
    if (this.#isClosed) {
      done?.(new Error('the connection to the environment was closed'), undefined as never);
      return;
    }
    openTunnel(this.#address, this.#capability, (error, socket, rest) => {
      // In HTTP, the client sends first.
      const problem = error ?? (rest.length === 0 ? null : new Error('the environment answers before it is asked'));
      if (error === null && problem !== null) socket.destroy();
      this.refusal = problem?.message ?? null;
      done?.(problem, socket);
    });
  }

  /** Ends all connections. */
  close(): void {
    this.#isClosed = true;
    this.destroy();
  }
}

/** A paused stream of bytes to a capability. Rejects with the reason of the environment. */
export function openStream(address: string, capability: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    openTunnel(partsOf(address), capability, (error, socket, rest) => {
      if (error !== null) return reject(error);
      socket.pause();
      if (rest.length > 0) socket.unshift(rest);
      resolve(socket);
    });
  });
}

/** Opens a stream to a capability. Calls back synchronously, so that no data of the stream is lost. */
function openTunnel({ hostname: host, port, secret }: ControlAddress, capability: string, onStream: OnStream): void {
  const socket = connect({ host, port });
  let answer = Buffer.alloc(0);
  const end = (reason: string | null, rest = Buffer.alloc(0)): void => {
    socket.off('data', receive).off('error', onError).off('close', onClose).off('timeout', onTimeout).setTimeout(0);
    if (reason === null) {
      onStream(null, socket, rest);
      return;
    }
    socket.on('error', () => {
      // The reason is known.
    });
    socket.destroy();
    onStream(new Error(reason), undefined as never, rest);
  };
  const onError = ({ message }: Error): void => end(message);
  const onClose = (): void => end('the environment closed the connection');
  const onTimeout = (): void => end(`the environment did not answer within ${OPEN_LIMIT / 1000} s`);
  const receive = (chunk: Buffer): void => {
    answer = Buffer.concat([answer, chunk]);
    const at = answer.indexOf(10);
    if (at !== -1 || answer.length >= ANSWER_LIMIT)
      end(refusalIn(answer.subarray(0, Math.max(0, at))), answer.subarray(at + 1));
  };
  socket.setTimeout(OPEN_LIMIT);
  socket.on('data', receive).on('error', onError).on('close', onClose).on('timeout', onTimeout);
  const params = { capability };
  if (secret !== null) socket.write(`${secret}\n`);
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tunnel.open', params })}\n`);
}

/** Why the environment refuses the stream by its answer to `tunnel.open`, a line; null if it opens it. */
function refusalIn(answer: Buffer): string | null {
  try {
    const { result, error } = JSON.parse(answer.toString('utf8')) as { result?: unknown; error?: { message?: string } };
    if (result !== undefined) return null;
    return error?.message ?? 'the environment refused the connection without a reason';
  } catch {
    return 'the environment did not answer with HUD’s protocol';
  }
}

/** Throws if the status is not one of HTTP. */
function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: statusText = '' } = message;
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const isEmpty = WITHOUT_BODY.has(status);
  if (isEmpty) message.resume();
  const body = isEmpty ? null : (Readable.toWeb(message) as unknown as ReadableStream);
  return new Response(body, { status, statusText, headers });
}
