import type { Readable, Writable } from 'node:stream';
import * as z from 'zod';
import { toErrorCode } from '../environments/faults.ts';
import { RequestFailure, toFailure } from './failure.ts';
import { encodeFrame, FrameDecoder } from './frames.ts';

const id = z.number().int().min(0);
const failureSchema = z.object({
  code: z.string().transform(toErrorCode),
  message: z.string(),
  stack: z.string().optional(),
});

/** Every message of a channel. Params, results, and events are validated by their receiver. */
const messageSchema = z.union([
  z
    .strictObject({ id, method: z.string(), params: z.unknown() })
    .transform((message) => ({ ...message, kind: 'request' as const })),
  z.strictObject({ id, error: failureSchema }).transform((message) => ({ ...message, kind: 'failure' as const })),
  z.strictObject({ id, result: z.unknown() }).transform((message) => ({ ...message, kind: 'result' as const })),
  z.strictObject({ cancel: id }).transform((message) => ({ ...message, kind: 'cancel' as const })),
  z.looseObject({ event: z.string() }).transform((event) => ({ event, kind: 'event' as const })),
]);
type Message = z.infer<typeof messageSchema>;

/** With more bytes than this waiting to be written, optional events (frames) are dropped. */
const CONGESTED_BYTES = 4 * 1024 * 1024;

/** A message after both sides have agreed on a secret. */
const sealedSchema = z.object({ secret: z.string(), message: z.unknown() });

export interface ChannelOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Handles a request; an error is sent as `{code, message}`. The signal is aborted when the request is cancelled. */
  onRequest?(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  onEvent?(event: { readonly event: string }): void;
  /** Called once, when the channel has closed. Null: the other side closed it normally. */
  onClose?(error: Error | null): void;
}

/** Requests, replies, and events in frames over a pair of streams. Both sides can send requests. */
export class Channel {
  readonly #options: ChannelOptions;
  readonly #decoder = new FrameDecoder();
  readonly #pending = new Map<number, { resolve(result: unknown): void; reject(error: unknown): void }>();
  readonly #incoming = new Map<number, AbortController>();
  /** Sent with each message once it is agreed on. */
  #ownSecret: string | null = null;
  /** Expected with each message of the other side once it is agreed on. */
  #othersSecret: string | null = null;
  #isSealed = false;
  #nextId = 1;
  #closeReason: RequestFailure | null = null;

  constructor(options: ChannelOptions) {
    this.#options = options;
    options.input.on('data', (chunk: Buffer) => this.#read(chunk));
    options.input.on('end', () => this.close(null));
    options.input.on('close', () => this.close(null));
    options.input.on('error', (error: Error) => this.close(error));
    options.output.on('error', (error: Error) => this.close(error));
    options.output.on('close', () => this.close(null));
  }

  get closed(): boolean {
    return this.#closeReason !== null;
  }

  /**
   * Sends a request. Rejects with `RequestFailure` if the request fails or the other side has gone, with the reason of
   * the signal if it is aborted. The other side is notified of that; `onLateResult` receives a result that arrives anyway.
   */
  request(
    method: string,
    params: unknown,
    signal?: AbortSignal,
    onLateResult?: (result: unknown) => void,
  ): Promise<unknown> {
    if (this.#closeReason !== null) return Promise.reject(this.#closeReason);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const requestId = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const abort = () => {
      if (!this.#pending.has(requestId)) return;
      this.#pending.set(requestId, { resolve: (result) => onLateResult?.(result), reject: () => {} });
      this.#send({ cancel: requestId });
      reject(signal?.reason);
    };
    this.#pending.set(requestId, { resolve, reject });
    signal?.addEventListener('abort', abort, { once: true });
    try {
      this.#send({ id: requestId, method, params });
    } catch (error) {
      this.#settle(requestId)?.reject(error);
    }
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  /** Sends a secret with each message from now on: the proof that no other process writes to the stream. */
  seal(secret: string): void {
    this.#ownSecret = secret;
  }

  /**
   * Requires the secret once a message with it has arrived. Any other message then closes the channel with
   * `channel_tampered`.
   */
  expectSeal(secret: string): void {
    this.#othersSecret = secret;
  }

  /**
   * Sends an event. Returns false if it was dropped, because the channel is closed, or congested and the event is
   * optional.
   */
  emit(event: { readonly event: string }, optional = false): boolean {
    if (this.#closeReason !== null) return false;
    if (optional && this.#options.output.writableLength > CONGESTED_BYTES) return false;
    this.#send(event);
    return true;
  }

  /** Closes the channel. Pending requests are rejected with `reason`. The owner of the streams closes them. */
  close(reason: Error | null): void {
    if (this.#closeReason !== null) return;
    this.#closeReason =
      reason instanceof RequestFailure
        ? reason
        : new RequestFailure('channel_closed', reason?.message ?? 'The other side has closed the channel.', {
            cause: reason,
          });
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(this.#closeReason);
    for (const controller of this.#incoming.values()) controller.abort(this.#closeReason);
    this.#incoming.clear();
    this.#options.onClose?.(reason);
  }

  #send(message: object): void {
    if (this.#closeReason !== null) return;
    const { output } = this.#options;
    const chunks = encodeFrame(this.#ownSecret === null ? message : { secret: this.#ownSecret, message });
    output.cork();
    for (const chunk of chunks) output.write(chunk);
    output.uncork();
  }

  #read(chunk: Uint8Array): void {
    if (this.#closeReason !== null) return;
    try {
      for (const value of this.#decoder.push(chunk)) this.#receive(messageSchema.parse(this.#unseal(value)));
    } catch (error) {
      const code = this.#isSealed ? 'channel_tampered' : 'channel_broken';
      const { message } = toFailure(error);
      this.close(new RequestFailure(code, `The other side sent an invalid message: ${message}`, { cause: error }));
    }
  }

  /** The message in a frame. Throws if it is not from the other side. */
  #unseal(value: unknown): unknown {
    if (this.#othersSecret === null) return value;
    const envelope = sealedSchema.safeParse(value);
    if (envelope.success && envelope.data.secret === this.#othersSecret) {
      this.#isSealed = true;
      return envelope.data.message;
    }
    if (!this.#isSealed) return value;
    throw new Error('it lacks the secret of the channel');
  }

  #receive(message: Message): void {
    switch (message.kind) {
      case 'request':
        void this.#answer(message.id, message.method, message.params);
        break;
      case 'result':
        this.#settle(message.id)?.resolve(message.result);
        break;
      case 'failure': {
        const error = new RequestFailure(message.error.code, message.error.message);
        if (message.error.stack !== undefined) error.stack = message.error.stack;
        this.#settle(message.id)?.reject(error);
        break;
      }
      case 'cancel':
        this.#incoming.get(message.cancel)?.abort(new RequestFailure('cancelled', 'The request was cancelled.'));
        break;
      case 'event':
        this.#options.onEvent?.(message.event);
        break;
    }
  }

  #settle(requestId: number) {
    const pending = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    return pending;
  }

  async #answer(requestId: number, method: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    this.#incoming.set(requestId, controller);
    try {
      if (this.#options.onRequest === undefined)
        throw new RequestFailure('unknown_method', `The request ${method} is not supported.`);
      const result = await this.#options.onRequest(method, params, controller.signal);
      this.#send({ id: requestId, result: result ?? null });
    } catch (error) {
      this.#send({ id: requestId, error: toFailure(error) });
    } finally {
      this.#incoming.delete(requestId);
    }
  }
}
