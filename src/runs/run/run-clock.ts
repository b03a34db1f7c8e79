import { Cancelled, type RunFailure, TimeLimit } from './failure.ts';
import type { RunSignals } from './plan.ts';

/** Time that a cancelled run has to finish its step and to be graded, in ms. */
const CANCEL_GRACE_MS = 5_000;
/** Time that a step has to finish when the run's time limit is reached, in ms. */
const STEP_GRACE_MS = 1_000;

/** Ends a run early: when it is cancelled, when its time is up, or when something fails beside it. */
export class RunClock implements RunSignals {
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  readonly #step = new AbortController();
  readonly #cancel: AbortSignal;
  readonly #limitMs: number | undefined;
  /** The time that is left while the clock is stopped, in ms; undefined without a limit. */
  #remaining: number | undefined;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  #cancelGrace: NodeJS.Timeout | undefined;

  /** `limitMs`: undefined sets no limit. */
  constructor(cancel: AbortSignal, limitMs: number | undefined) {
    this.#cancel = cancel;
    this.#limitMs = limitMs;
    this.#remaining = limitMs;
    if (cancel.aborted) this.#onCancel();
    else cancel.addEventListener('abort', this.#onCancel, { once: true });
  }

  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  get abort(): AbortSignal {
    return this.#abort.signal;
  }

  get step(): AbortSignal {
    return this.#step.signal;
  }

  fail(failure: RunFailure): void {
    for (const controller of [this.#stop, this.#abort, this.#step]) controller.abort(failure);
  }

  startClock(): void {
    if (this.#remaining === undefined || this.#timer !== undefined) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => {
      const reason = new TimeLimit((this.#limitMs ?? 0) / 1000);
      this.#stop.abort(reason);
      this.#grace = setTimeout(() => this.#step.abort(reason), STEP_GRACE_MS);
    }, this.#remaining);
  }

  stopClock(): () => void {
    if (this.#remaining !== undefined && this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#remaining = Math.max(0, this.#remaining - (performance.now() - this.#startedAt));
    }
    return () => this.startClock();
  }

  dispose(): void {
    this.#cancel.removeEventListener('abort', this.#onCancel);
    clearTimeout(this.#cancelGrace);
    clearTimeout(this.#grace);
    this.stopClock();
  }

  readonly #onCancel = (): void => {
    const reason = new Cancelled();
    this.#stop.abort(reason);
    this.#cancelGrace = setTimeout(() => {
      this.#abort.abort(reason);
      this.#step.abort(reason);
    }, CANCEL_GRACE_MS);
  };
}
