/** What the queue needs to know of a lane. */
export interface QueuedLane {
  /** The task or the pod that it runs in. */
  readonly task: string;
  /** Resolves when it can no longer be used. */
  readonly whenEnded: Promise<unknown>;
  drop(): void;
}

interface Waiter<L> {
  take(lane: L): void;
  fail(error: Error): void;
}

/** Lanes that wait for runs, and runs that wait for lanes, each in order of arrival. */
export class LaneQueue<L extends QueuedLane> {
  /** All lanes, with whether a run has them. */
  readonly #lanes = new Map<L, 'idle' | 'taken'>();
  readonly #waiting = new Set<Waiter<L>>();

  /** How many runs wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  get lanes(): readonly L[] {
    return [...this.#lanes.keys()];
  }

  /** Whether a run has a lane or waits for one. */
  get busy(): boolean {
    return this.#waiting.size > 0 || [...this.#lanes.values()].includes('taken');
  }

  /** Adds a lane. A task has one lane: an earlier lane of it has lost its connection and is dropped. */
  add(lane: L): void {
    for (const other of this.#lanes.keys()) {
      if (other.task !== lane.task) continue;
      this.#lanes.delete(other);
      other.drop();
    }
    this.#lanes.set(lane, 'idle');
    void lane.whenEnded.then(() => this.#lanes.delete(lane));
    this.#serve();
  }

  /** Takes a lane for one run. Rejects with the reason of the signal, or of `fail`. */
  take(signal?: AbortSignal): Promise<L> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const settle = (): void => {
        this.#waiting.delete(waiter);
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter<L> = {
        take: (lane) => {
          settle();
          resolve(lane);
        },
        fail: (error) => {
          settle();
          reject(error);
        },
      };
      const abort = (): void => waiter.fail(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiter);
      this.#serve();
    });
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
    for (const waiter of [...this.#waiting]) waiter.fail(error);
  }

  #serve(): void {
    for (const [lane, state] of this.#lanes) {
      if (state === 'taken') continue;
      const [waiter] = this.#waiting;
      if (waiter === undefined) return;
      this.#lanes.set(lane, 'taken');
      waiter.take(lane);
    }
  }
}
