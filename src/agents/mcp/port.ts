import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { AgentAddress } from '../agent-kind.ts';
import { type Limits, Quota, type Refusal, refusal } from './guard.ts';

/** The time that answers have to reach a client when the run has ended, in ms. */
const LAST_ANSWERS_MS = 1_000;
const MAX_CONNECTIONS = 256;

/** Answers the requests of the clients of one run. */
export interface RunHandler {
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

/** A run that waits for an agent. */
export interface WaitingRun {
  readonly address: AgentAddress;
  /** Lets the answers in progress reach their clients, and takes the run off the port. */
  close(): Promise<void>;
}

let port: Promise<AgentPort> | undefined;

/**
 * The port of this process. It is open before the first environment starts, so that their browsers and containers keep it
 * from pages. Rejects with a system error if this machine has no free port.
 */
export function agentPort(): Promise<AgentPort> {
  port ??= AgentPort.open();
  return port;
}

/** A port of the loopback interface on which external agents reach the runs that wait for them. */
export class AgentPort {
  readonly number: number;
  readonly #runs = new Map<string, OpenRun>();

  private constructor(http: Server) {
    this.number = (http.address() as AddressInfo).port;
    http.on('request', (request: IncomingMessage, response: ServerResponse) => this.#answer(request, response));
  }

  static async open(): Promise<AgentPort> {
    const http = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 });
    http.maxConnections = MAX_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject);
      http.listen(0, '127.0.0.1', resolve);
    });
    // The port stays open until the process ends, and does not keep it from ending.
    http.unref();
    return new AgentPort(http);
  }

  /** Offers a run at its own address, with its own token. */
  add(handler: RunHandler, limits: Limits): WaitingRun {
    const path = `/mcp/${randomBytes(6).toString('hex')}`;
    const token = randomBytes(24).toString('base64url');
    const run = new OpenRun(handler, token, new Quota(limits));
    this.#runs.set(path, run);
    return {
      address: { url: `http://127.0.0.1:${this.number}${path}`, token },
      close: async () => {
        await run.close();
        this.#runs.delete(path);
      },
    };
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const run = this.#runs.get(request.url ?? '');
    // Without a run every token is wrong, so a stranger does not learn which runs exist.
    const reason = refusal(request.headers, this.number, run?.token ?? null) ?? run?.quota.take() ?? null;
    if (reason !== null) refuse(request, response, reason);
    else run?.handle(request, response);
  }
}

class OpenRun {
  readonly token: string;
  readonly quota: Quota;
  readonly #handler: RunHandler;
  readonly #sockets = new Set<Socket>();
  #answering = 0;
  /** The run has ended, and its last answers are on their way. */
  #onIdle: (() => void) | null = null;

  constructor(handler: RunHandler, token: string, quota: Quota) {
    this.#handler = handler;
    this.token = token;
    this.quota = quota;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    this.#answering += 1;
    response.once('close', () => {
      this.#answering -= 1;
      if (this.#answering === 0) this.#onIdle?.();
    });
    this.#handler.handle(request, response);
  }

  async close(): Promise<void> {
    if (this.#answering > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, LAST_ANSWERS_MS);
      this.#onIdle = resolve;
      await promise;
      clearTimeout(timer);
    }
    // A client keeps its connection for its next request.
    for (const socket of this.#sockets) socket.destroy();
    await this.#handler.close();
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, message }: Refusal): void {
  // The rest of the request is not read.
  request.resume();
  const more = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...more });
  response.end(JSON.stringify({ error: message }));
}
