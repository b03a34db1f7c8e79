import type { RunListener } from '../events.ts';

/** Writes steps and emits events in the order in which they occurred, while the run continues. */
export class OrderedEvents {
  readonly #listen: RunListener;
  #pending = 0;
  #last: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;

  constructor(listen: RunListener) {
    this.#listen = listen;
  }

  /** Emits an event after everything before it was written and emitted. */
  readonly emit: RunListener = (event) => {
    if (this.#pending === 0) this.#listen(event);
    else void this.write(async (emit) => emit(event));
  };

  /** Runs `work` after everything before it, even if that failed. `work` gets a function that emits events. */
  write<T>(work: (emit: RunListener) => Promise<T>): Promise<T> {
    this.#pending += 1;
    const done = this.#last.then(() => work(this.#listen));
    const end = (failure: { readonly error: unknown } | null): void => {
      this.#pending -= 1;
      this.#failure ??= failure;
    };
    this.#last = done.then(
      () => end(null),
      (error: unknown) => end({ error }),
    );
    return done;
  }

  /** Resolves when everything so far is written and emitted. Rejects with the first failure. */
  async settle(): Promise<void> {
    await this.#last;
    if (this.#failure !== null) throw this.#failure.error;
  }
}
