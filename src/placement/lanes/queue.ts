/** What the queue needs to know of a lane. */
export interface QueuedLane {
  /** Of the task or the pod that it runs in. */
  readonly id: string;
  /** Resolves when it can no longer be used. */
  readonly whenEnded: Promise<unknown>;
  drop(): void;
}

/** Lanes that wait for runs, and runs that wait for lanes, each in order of arrival. */
export class LaneQueue<L extends QueuedLane> {
  /** All lanes, with whether a run has them. */
  readonly #lanes = new Map<L, 'idle' | 'taken'>();
  readonly #waiting = new Set<PromiseWithResolvers<L>>();

  get lanes(): readonly L[] {
    return [...this.#lanes.keys()];
  }

  /** Adds a lane. A task has one lane: an earlier lane of it has lost its connection and is dropped. */
  add(lane: L): void {
    for (const other of this.#lanes.keys()) {
      if (other.id !== lane.id) continue;
      this.#lanes.delete(other);
      other.drop();
    }
    this.#lanes.set(lane, 'idle');
    void lane.whenEnded.then(() => this.#lanes.delete(lane));
    this.#serve();
  }

  /** Takes a lane for one run. Rejects with the reason of the signal, or of `fail`. */
  async take(signal?: AbortSignal): Promise<L> {
    signal?.throwIfAborted();
    const waiter = Promise.withResolvers<L>();
    const abort = (): void => {
      this.#waiting.delete(waiter);
      waiter.reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.#waiting.add(waiter);
    this.#serve();
    return waiter.promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  /** Returns a lane whose run has ended, so that the next run can have it. */
  giveBack(lane: L): void {
    // It may have ended meanwhile.
    if (!this.#lanes.has(lane)) return;
    this.#lanes.set(lane, 'idle');
    this.#serve();
  }

  /** Rejects all runs that wait. */
  fail(error: Error): void {
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting.clear();
  }

  #serve(): void {
    for (const [lane, state] of this.#lanes) {
      if (state === 'taken') continue;
      const [waiter] = this.#waiting;
      if (waiter === undefined) return;
      this.#lanes.set(lane, 'taken');
      this.#waiting.delete(waiter);
      waiter.resolve(lane);
    }
  }
}
