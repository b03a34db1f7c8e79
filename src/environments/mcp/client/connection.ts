import * as z from 'zod';
import { version } from '../../../../package.json';
import type { Json } from '../../../tasks/task.ts';
import { EnvironmentError } from '../../environment.ts';

/*
 * A client of MCP for what HUD's environments use of it: tools, prompts, and resources. `@modelcontextprotocol/client` 2.4
 * adds 52 kB to the packed extension even beside the server library, for OAuth, caches, and the protocol versions that no
 * HUD server speaks; and its transport for standard streams does not end a server of HUD 0.5.
 */

/** The version of the protocol of HUD 0.4 and 0.5. A server may answer with another one. */
const PROTOCOL_VERSION = '2025-06-18';
const METHOD_NOT_FOUND = -32601;
/** More pages of a list are a server that repeats itself. */
const MAX_PAGES = 100;

export type Message = { readonly [key: string]: Json };

/** What carries messages to a server and back. */
export interface Transport {
  /** What a person knows the server as: `MCP server “local”`. */
  readonly name: string;
  /** Rejects if the message cannot be delivered. */
  send(message: Message): Promise<void>;
  /** Receives what the server sends. */
  onMessage(listener: (message: Json) => void): void;
  /** Rejects with `EnvironmentError` if the server is lost; never resolves. */
  readonly lost: Promise<never>;
  /** The version that server and client agreed on. */
  agreed?(version: string): void;
  close(): Promise<void>;
}

/** An error that the server answered a request with. */
export class McpError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.name = 'McpError';
    this.code = code;
  }
}

const messageSchema = z.looseObject({
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  method: z.string().optional(),
  result: z.custom<Json>().optional(),
  error: z.looseObject({ code: z.number().catch(0), message: z.string().catch('no reason was given') }).optional(),
});
const initializedSchema = z.looseObject({ protocolVersion: z.string() });

interface Waiting {
  resolve(result: Json): void;
  reject(error: Error): void;
}

/** One session with an MCP server. */
export class McpConnection {
  readonly #transport: Transport;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  private constructor(transport: Transport) {
    this.#transport = transport;
    transport.onMessage((message) => this.#receive(message));
    // Each request reports it.
    transport.lost.catch(() => {});
  }

  /** Rejects with `EnvironmentError`; the transport is closed then. */
  static async open(transport: Transport, limit: number): Promise<McpConnection> {
    const connection = new McpConnection(transport);
    try {
      const params = {
        protocolVersion: PROTOCOL_VERSION,
        capabilities: {},
        clientInfo: { name: 'taskwright', version },
      };
      const result = await connection.request('initialize', params, AbortSignal.timeout(limit));
      const { protocolVersion } = initializedSchema.parse(result);
      transport.agreed?.(protocolVersion);
      await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      return connection;
    } catch (error) {
      await connection.close();
      if (error instanceof EnvironmentError) throw error;
      const said =
        error instanceof z.ZodError
          ? 'it answers in another form than MCP'
          : (error as Error).name === 'TimeoutError'
            ? `it did not answer within ${limit / 1000} s`
            : (error as Error).message;
      const message = `No session with the ${transport.name} is possible: ${said}.`;
      throw new EnvironmentError('start_failed', message, { cause: error });
    }
  }

  /** Rejects with `EnvironmentError` if the server is lost; never resolves. */
  get lost(): Promise<never> {
    return this.#transport.lost;
  }

  /**
   * The result of a request. Rejects with `McpError`, with `EnvironmentError` if the server is lost, or with the reason of
   * the signal.
   */
  async request(method: string, params: Message | undefined, signal: AbortSignal): Promise<Json> {
    signal.throwIfAborted();
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<Json>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    try {
      const sent = this.#transport
        .send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
        .then(() => answer);
      return await Promise.race([sent, this.#transport.lost, aborted]);
    } catch (error) {
      if (signal.aborted) {
        const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
        await this.#transport.send(cancelled).catch(() => {});
      }
      throw error;
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** All items of a list that the server gives in pages. */
  async list(method: string, key: string, signal: AbortSignal): Promise<readonly Json[]> {
    const pageSchema = z.looseObject({ [key]: z.array(z.custom<Json>()), nextCursor: z.string().nullish() });
    const items: Json[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const result = pageSchema.parse(await this.request(method, cursor === null ? {} : { cursor }, signal));
      items.push(...(result[key] as Json[]));
      cursor = (result['nextCursor'] as string | null | undefined) ?? null;
      if (cursor === null) break;
    }
    return items;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #receive(given: Json): void {
    const read = messageSchema.safeParse(given);
    if (!read.success) return;
    const { id, method, result, error } = read.data;
    if (method !== undefined) {
      if (id !== undefined) this.#answer(id, method);
      return;
    }
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (error !== undefined) waiting?.reject(new McpError(error.code, error.message));
    else waiting?.resolve(result ?? null);
  }

  /** This client offers nothing that a server could ask for. */
  #answer(id: string | number | null, method: string): void {
    const answer =
      method === 'ping'
        ? { result: {} }
        : { error: { code: METHOD_NOT_FOUND, message: `Taskwright does not support ${method}.` } };
    // If the server is lost, that is reported otherwise.
    this.#transport.send({ jsonrpc: '2.0', id, ...answer }).catch(() => {});
  }
}
