import { describeSystemError } from '../../../tasks/system-error.ts';
import type { Json } from '../../../tasks/task.ts';
import { EnvironmentError } from '../../environment.ts';
import type { Message, Transport } from './connection.ts';
import { EventParser } from './event-parser.ts';

const SESSION = 'mcp-session-id';
/** How long a server may take to end a session, in ms. */
const CLOSE_LIMIT = 2_000;
/** The length of an answer that is quoted in a message. */
const QUOTED = 300;

/** A server with MCP’s streamable HTTP: a request for each message, answered by JSON or by a stream of events. */
export class HttpTransport implements Transport {
  readonly name: string;
  readonly lost: Promise<never>;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #closed = new AbortController();
  #lose: (error: EnvironmentError) => void = () => {};
  #listen: (message: Json) => void = () => {};
  #session: string | null = null;
  #version: string | null = null;

  constructor(name: string, url: string, headers: Readonly<Record<string, string>>) {
    this.name = `MCP server “${name}” at ${url}`;
    this.#url = url;
    this.#headers = headers;
    this.lost = new Promise((_resolve, reject) => {
      this.#lose = reject;
    });
  }

  onMessage(listener: (message: Json) => void): void {
    this.#listen = listener;
  }

  agreed(version: string): void {
    this.#version = version;
  }

  async send(message: Message): Promise<void> {
    const response = await this.#post(JSON.stringify(message));
    this.#session ??= response.headers.get(SESSION);
    const { id, method } = message;
    if (id === undefined || method === undefined) {
      await response.body?.cancel();
      return;
    }
    // Answers come while other messages are sent.
    void this.#read(response, id);
  }

  async close(): Promise<void> {
    if (this.#session !== null && !this.#closed.signal.aborted) {
      const headers = this.#allHeaders();
      // A server need not allow it.
      await fetch(this.#url, { method: 'DELETE', headers, signal: AbortSignal.timeout(CLOSE_LIMIT) })
        .then((response) => response.body?.cancel())
        .catch(() => {});
    }
    this.#closed.abort();
  }

  async #post(body: string): Promise<Response> {
    const headers = { ...this.#allHeaders(), 'content-type': 'application/json' };
    let response: Response;
    try {
      response = await fetch(this.#url, {
        method: 'POST',
        body,
        headers,
        // The headers of a row are for the address that it names.
        redirect: 'manual',
        signal: this.#closed.signal,
      });
    } catch (error) {
      const code = this.#session === null ? 'environment_unreached' : 'environment_lost';
      throw new EnvironmentError(code, `The ${this.name} does not answer: ${describe(error)}.`, { cause: error });
    }
    if (response.ok) return response;
    const { status } = response;
    if (status >= 300 && status < 400) {
      const to = response.headers.get('location');
      await response.body?.cancel();
      const where = to === null ? '' : ` to ${to}`;
      throw new EnvironmentError('start_failed', `The ${this.name} redirects${where}. Write that address as "url".`);
    }
    const said = (await response.text().catch(() => '')).trim().slice(0, QUOTED);
    const message = `The ${this.name} answers with HTTP status ${status}${said === '' ? '' : `: ${said}`}`;
    if (status === 401 || status === 403) {
      throw new EnvironmentError('start_failed', `${message}\nCheck the "headers" of the server.`);
    }
    throw new EnvironmentError(this.#session === null ? 'start_failed' : 'environment_lost', message);
  }

  #allHeaders(): Record<string, string> {
    return {
      ...this.#headers,
      accept: 'application/json, text/event-stream',
      ...(this.#session === null ? {} : { [SESSION]: this.#session }),
      ...(this.#version === null ? {} : { 'mcp-protocol-version': this.#version }),
    };
  }

  /** Passes on what a server sends until the answer to a request. */
  async #read(response: Response, id: Json): Promise<void> {
    const type = response.headers.get('content-type') ?? '';
    let answered = false;
    const take = (text: string): void => {
      // An event without data is a sign of life.
      if (text === '') return;
      const message = JSON.parse(text) as { readonly [key: string]: Json };
      answered ||= message['id'] === id && message['method'] === undefined;
      this.#listen(message);
    };
    try {
      if (type.startsWith('application/json')) {
        take(await response.text());
      } else if (type.startsWith('text/event-stream') && response.body !== null) {
        const parser = new EventParser(take);
        for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) parser.add(chunk);
      } else {
        await response.body?.cancel();
        const message = `The ${this.name} answers with “${type}”, which is not MCP. Check "url".`;
        this.#lose(new EnvironmentError('start_failed', message));
        return;
      }
      if (answered) return;
      const message = `The ${this.name} ended its answer without a result.`;
      this.#lose(new EnvironmentError('environment_lost', message));
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      const message = `The ${this.name} broke off its answer: ${describe(error)}.`;
      this.#lose(new EnvironmentError('environment_lost', message, { cause: error }));
    }
  }
}

/** The innermost cause: `fetch` wraps what happened. */
function describe(error: unknown): string {
  let at = error as NodeJS.ErrnoException;
  while (at.code === undefined && at.cause instanceof Error) at = at.cause;
  if (at instanceof AggregateError && at.errors[0] instanceof Error) at = at.errors[0];
  return describeSystemError(at);
}
