import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { withLimit } from '../base/timeout.ts';
import { Channel } from '../server/channel.ts';
import { RequestFailure } from '../server/failure.ts';
import { type Method, type Params, PROTOCOL_VERSION } from '../server/protocol.ts';
import { type Results, resultSchemas, type ServerEvent, serverEventSchema } from '../server/results.ts';
import { ServerError } from './placement.ts';

/** Sent by a server that is ending on request. */
const SERVER_ENDS = 'server_ended';

/** Reported if another process wrote to the control channel. */
export const TAMPERING = {
  code: 'tampering' as const,
  message:
    'A process other than the environment server wrote to the control channel. Only a process that the agent started can do that.',
};

/** The client side of the control channel: typed requests and events over the streams of a server. */
export class Control {
  readonly #channel: Channel;
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  readonly #log: (text: string) => void;
  #isTampered = false;

  constructor(options: {
    readonly input: Readable;
    readonly output: Writable;
    log(text: string): void;
    /** Called when the channel has closed because the server has ended or sent something invalid. */
    onClose(error: Error | null): void;
  }) {
    this.#log = options.log;
    this.#channel = new Channel({
      input: options.input,
      output: options.output,
      onEvent: (event) => this.#notify(serverEventSchema.parse(event)),
      onClose: (error) => {
        this.#isTampered = error instanceof RequestFailure && error.code === 'channel_tampered';
        options.onClose(error);
      },
    });
  }

  /**
   * Checks the version of the server and agrees on a secret with it. Any other data in the stream then closes the
   * channel (`isTampered`). Rejects with the error of `onLate` if the server does not answer within `limit` ms.
   */
  async handshake(limit: number, onLate: () => ServerError, signal?: AbortSignal): Promise<void> {
    const secret = randomUUID();
    this.#channel.expectSeal(secret);
    const params = { version: PROTOCOL_VERSION, secret };
    await withLimit(limit, signal, (stop) => this.request('hello', params, stop), onLate);
  }

  /** Whether the channel was closed because another process wrote to it. */
  get isTampered(): boolean {
    return this.#isTampered;
  }

  async request<M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Results[M]> {
    try {
      const result = await this.#channel.request(method, params, signal, (late) => this.#closeLate(method, late));
      return resultSchemas[method].parse(result) as Results[M];
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      // The owner of the server knows why it ended, and reports it through `end`.
      if (error.code.startsWith('channel_') || error.code === SERVER_ENDS) throw await this.#reason(error);
      throw new ServerError(error.code, error.message, { cause: error });
    }
  }

  onEvent(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Rejects pending and later requests with the reason why the server has ended. */
  end(reason: ServerError): void {
    this.#whenGone.resolve(reason);
    this.#channel.close(new RequestFailure('channel_closed', reason.message));
    this.#listeners.clear();
  }

  readonly #whenGone = Promise.withResolvers<ServerError>();

  #reason(error: RequestFailure): Promise<ServerError> {
    return error.code === 'channel_broken'
      ? Promise.resolve(new ServerError('server_not_understood', error.message, { cause: error }))
      : this.#whenGone.promise;
  }

  /** Closes a session that was opened after its request was cancelled. */
  #closeLate(method: Method, late: unknown): void {
    if (method !== 'session.open') return;
    const session = resultSchemas['session.open'].safeParse(late);
    // If the server has ended, its sessions have ended too.
    if (session.success) this.#channel.request('session.close', session.data).catch(() => {});
  }

  #notify(event: ServerEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#log(`A listener of the environment server failed: ${error instanceof Error ? error.stack : error}`);
      }
    }
  }
}
