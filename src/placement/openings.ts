import { ServerError } from './placement.ts';

/** The environments that a placement is opening, which all end with it. */
export class Openings {
  readonly #stop = new AbortController();
  readonly #pending = new Set<Promise<unknown>>();

  /** Aborted when the placement ends. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /**
   * Opens an environment with a signal that is aborted when the caller's is, or when the placement ends. Rejects with
   * `placement_disposed` once that has ended.
   */
  async open<T>(signal: AbortSignal | undefined, open: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#stop.signal.throwIfAborted();
    const opening = open(signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]));
    this.#pending.add(opening);
    try {
      return await opening;
    } finally {
      this.#pending.delete(opening);
    }
  }

  /** Ends what is being opened. Resolves when none of it is left. */
  async end(): Promise<void> {
    this.#stop.abort(new ServerError('placement_disposed', 'The environment has already ended.'));
    await Promise.allSettled(this.#pending);
  }
}
