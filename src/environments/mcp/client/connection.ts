import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import { version } from '../../../../package.json';
import type { Json, JsonObject } from '../../../base/json.ts';
import { MAX_TIMEOUT_MS } from '../../../base/time-limit.ts';
import { EnvironmentError } from '../../environment.ts';

/** The maximum number of pages of a list. A server with more repeats itself. */
const MAX_PAGES = 100;
/** Callers validate the result, because servers of HUD return more than the library knows. */
const anyResult = z.custom<Json>();

/** A transport of messages to a server and back. */
export interface ServerTransport extends Transport {
  /** The name of the server in messages: `MCP server “local”`. */
  readonly name: string;
  /** Rejects with `EnvironmentError` if the server is lost; never resolves. */
  readonly lost: Promise<never>;
}

/** One session with an MCP server. */
export class McpConnection {
  readonly #client = new Client({ name: 'taskwright', version });
  readonly #transport: ServerTransport;

  private constructor(transport: ServerTransport) {
    this.#transport = transport;
  }

  /** Rejects with `EnvironmentError`; the transport is closed then. */
  static async open(transport: ServerTransport, limit: number): Promise<McpConnection> {
    const connection = new McpConnection(transport);
    try {
      await Promise.race([connection.#client.connect(transport, { timeout: limit }), transport.lost]);
      return connection;
    } catch (error) {
      await connection.close();
      if (error instanceof EnvironmentError) throw error;
      const code = error instanceof SdkError ? error.code : null;
      const reason =
        code === SdkErrorCode.InvalidResult
          ? 'it answers in another form than MCP'
          : code === SdkErrorCode.RequestTimeout
            ? `it did not answer within ${limit / 1000} s`
            : (error as Error).message;
      const message = `No session with the ${transport.name} is possible: ${reason}.`;
      throw new EnvironmentError('start_failed', message, { cause: error });
    }
  }

  /** Rejects with `EnvironmentError` if the server is lost; never resolves. */
  get lost(): Promise<never> {
    return this.#transport.lost;
  }

  /** As `ask`, with any result. */
  async request(method: string, params: JsonObject, signal: AbortSignal): Promise<Json> {
    signal.throwIfAborted();
    try {
      // Callers set shorter time limits by the signal.
      const options = { signal, timeout: MAX_TIMEOUT_MS };
      const answer = this.#client.request({ method, params }, anyResult, options);
      return await Promise.race([answer, this.#transport.lost]);
    } catch (error) {
      // The library converts the reason to a text.
      signal.throwIfAborted();
      throw error;
    }
  }

  /**
   * The result of a request in the form of the schema. Rejects with `ProtocolError` if the server answers with an error or in
   * another form, with `EnvironmentError` if it is lost, or with the reason of the signal.
   */
  async ask<Result>(
    schema: z.ZodType<Result>,
    method: string,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<Result> {
    const { data, error } = schema.safeParse(await this.request(method, params, signal));
    if (error === undefined) return data;
    const [{ path, message } = { path: [], message: '' }] = error.issues;
    const where = path.length === 0 ? '' : `"${path.join('.')}": `;
    const text = `the ${this.#transport.name} answers “${method}” in another form than MCP: ${where}${message}`;
    throw new ProtocolError(ProtocolErrorCode.InternalError, text);
  }

  /** All items of a list that the server gives in pages. Rejects as `ask`. */
  async list<Item>(
    itemSchema: z.ZodType<Item>,
    method: string,
    key: string,
    signal: AbortSignal,
  ): Promise<readonly Item[]> {
    const pageSchema = z.looseObject({ [key]: z.array(itemSchema), nextCursor: z.string().nullish() });
    const items: Item[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const params: JsonObject = cursor === null ? {} : { cursor };
      const result: Readonly<Record<string, unknown>> = await this.ask(pageSchema, method, params, signal);
      items.push(...(result[key] as Item[]));
      cursor = (result['nextCursor'] as string | null | undefined) ?? null;
      if (cursor === null) break;
    }
    return items;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}
