/** Requests that act on the same environment, one after the other. */
export class RequestQueue {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  /** Number of queued and running requests. */
  get length(): number {
    return this.#length;
  }

  /** Sends a request when those before it have ended. A cancelled request does not block the queue. */
  add<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#length += 1;
    const response = this.#last
      .then(() => {
        signal.throwIfAborted();
        return send();
      })
      .finally(() => {
        this.#length -= 1;
      });
    const cancellation = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    // The caller handles a failure; the next request only waits for the end.
    this.#last = Promise.race([response.catch(() => {}), cancellation]);
    return response;
  }

  /** The next request waits for none before it. */
  clear(): void {
    this.#last = Promise.resolve();
  }
}
