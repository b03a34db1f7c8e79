/** Does one thing after the other, while whoever wants it done goes on. */
export class InOrder {
  #pending = 0;
  #last: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;

  /** Does this when everything before is done, also where that has failed. */
  do<T>(work: () => Promise<T>): Promise<T> {
    this.#pending += 1;
    const done = this.#last.then(work);
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

  /** As `do`, but at once where nothing is waited for. */
  say(word: () => void): void {
    if (this.#pending === 0) word();
    else void this.do(async () => word());
  }

  /** Resolves when all that was wanted until now is done; rejects with what failed first. */
  async settled(): Promise<void> {
    await this.#last;
    if (this.#failure !== null) throw this.#failure.error;
  }
}
