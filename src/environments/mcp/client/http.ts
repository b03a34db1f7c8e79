import {
  type FetchLike,
  type JSONRPCMessage,
  type RequestId,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { describeSystemError, rootCause } from '../../../base/system-error.ts';
import { EnvironmentError } from '../../environment.ts';
import type { ServerTransport } from './connection.ts';

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/** How long a server may take to end a session, in ms. */
const CLOSE_LIMIT = 2_000;
/** The maximum length of an answer in a message. */
const MAX_EXCERPT = 300;

/** A server with MCP’s streamable HTTP. It is lost if it ends an answer without a result. */
export class HttpTransport extends StreamableHTTPClientTransport implements ServerTransport {
  readonly name: string;
  /** The requests without an answer. */
  readonly #pending = new Set<RequestId>();
  readonly #loss = Promise.withResolvers<never>();
  readonly lost = this.#loss.promise;
  #isClosing = false;

  constructor(name: string, url: string, headers: Readonly<Record<string, string>>, request: FetchLike = fetch) {
    const server = `MCP server “${name}” at ${url}`;
    super(new URL(url), { requestInit: { headers }, fetch: fetchFrom(server, request) });
    this.name = server;
    this.onmessage = (message) => {
      if (!('method' in message) && message.id !== undefined) this.#pending.delete(message.id);
    };
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    const id = 'method' in message && 'id' in message ? message.id : null;
    if (id !== null) this.#pending.add(id);
    const onRequestStreamEnd = (): void => {
      if (id === null || !this.#pending.has(id)) return;
      this.#lose(new EnvironmentError('environment_lost', `The ${this.name} ended its answer without a result.`));
    };
    try {
      await super.send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      if (error instanceof EnvironmentError) throw error;
      const failure = this.#failure(error);
      this.#lose(failure);
      throw failure;
    }
  }

  override async close(): Promise<void> {
    this.#isClosing = true;
    // A server may not support it.
    await this.terminateSession().catch(() => {});
    await super.close();
  }

  #lose(error: EnvironmentError): void {
    if (!this.#isClosing) this.#loss.reject(error);
  }

  #failure(error: unknown): EnvironmentError {
    if (error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent) {
      const { contentType } = error.data as { readonly contentType: string | null };
      const message = `The ${this.name} answers with “${contentType ?? ''}”, which is not MCP. Check "url".`;
      return new EnvironmentError('start_failed', message, { cause: error });
    }
    const message = `The ${this.name} broke off its answer: ${describeSystemError(rootCause(error))}.`;
    return new EnvironmentError('environment_lost', message, { cause: error });
  }
}

/** `fetch` whose requests reject with `EnvironmentError` if the server is not reached, or refuses them. */
function fetchFrom(server: string, request: FetchLike): FetchLike {
  return async (url, init = {}) => {
    const inSession = new Headers(init.headers).has('mcp-session-id');
    const signal = init.method === 'DELETE' ? AbortSignal.timeout(CLOSE_LIMIT) : init.signal;
    let response: Response;
    try {
      // The headers of a row are for its own address only.
      response = await request(url, { ...init, signal: signal ?? null, redirect: 'manual' });
    } catch (error) {
      const code = inSession ? 'environment_lost' : 'environment_unreached';
      const message = `The ${server} does not answer: ${describeSystemError(rootCause(error))}.`;
      throw new EnvironmentError(code, message, { cause: error });
    }
    // A server may not have a stream for its own messages.
    if (response.ok || init.method !== 'POST') return response;
    const { status } = response;
    if (status >= 300 && status < 400) {
      const to = response.headers.get('location');
      await response.body?.cancel();
      const where = to === null ? '' : ` to ${to}`;
      throw new EnvironmentError('start_failed', `The ${server} redirects${where}. Write that address as "url".`);
    }
    // If the text cannot be read, the status is enough.
    const text = (await response.text().catch(() => '')).trim().slice(0, MAX_EXCERPT);
    const message = `The ${server} answers with HTTP status ${status}${text === '' ? '' : `: ${text}`}`;
    if (status === 401 || status === 403) {
      throw new EnvironmentError('start_failed', `${message}\nCheck the "headers" of the server.`);
    }
    throw new EnvironmentError(inSession ? 'environment_lost' : 'start_failed', message);
  };
}
