import { patient } from '../base/patience.ts';
import { withTimeout } from '../base/timeout.ts';
import { untilAborted } from '../base/until-aborted.ts';
import { type Lease, ServerError } from './placement.ts';

/** How long a placement that ends waits for what it has not finished, in ms: a daemon may no longer answer. */
export const END_LIMIT = patient(30_000);

/** The environments that a placement is opening, which all end with it. */
export class Openings {
  readonly #stop = new AbortController();
  readonly #pending = new Set<Promise<void>>();

  /** Aborted when the placement ends. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /**
   * Opens an environment with a signal that is aborted when the caller's is, or when the placement ends. Rejects with its
   * reason then, and releases the environment if it opens later. Rejects with `placement_disposed` once the placement has
   * ended.
   */
  async open(signal: AbortSignal | undefined, open: (signal: AbortSignal) => Promise<Lease>): Promise<Lease> {
    this.#stop.signal.throwIfAborted();
    const stop = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
    const opening = open(stop);
    const whenSettled = opening.then(
      (lease) => (stop.aborted ? lease.release() : undefined),
      // Reported to the caller, unless it no longer waits.
      () => {},
    );
    this.#pending.add(whenSettled);
    void whenSettled.finally(() => this.#pending.delete(whenSettled));
    return untilAborted(opening, stop);
  }

  /** Ends what is being opened. Resolves when none of it is left, or after a time limit. */
  async end(): Promise<void> {
    this.#stop.abort(new ServerError('placement_disposed', 'The environment has already ended.'));
    await withTimeout(END_LIMIT, Promise.all(this.#pending));
  }
}
