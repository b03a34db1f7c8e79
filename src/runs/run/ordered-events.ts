import type { RunListener } from './events.ts';

/** Writes what a run does and tells of it, in the order in which it happened, while the run goes on. */
export class OrderedEvents {
  readonly #listen: RunListener;
  #pending = 0;
  #last: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;

  constructor(listen: RunListener) {
    this.#listen = listen;
  }

  /** Tells it once all before is written and told: at once, where nothing is being written. */
  readonly tell: RunListener = (event) => {
    if (this.#pending === 0) this.#listen(event);
    else void this.write(async (tell) => tell(event));
  };

  /** Writes, once all before is written, also where that has failed; `tell` is for what is to be told of it. */
  write<T>(work: (tell: RunListener) => Promise<T>): Promise<T> {
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

  /** Resolves when all until now is written and told; rejects with what failed first. */
  async settled(): Promise<void> {
    await this.#last;
    if (this.#failure !== null) throw this.#failure.error;
  }
}
