import { Cancelled, type RunFailure, TimeLimit } from './failure.ts';

/** Time that a cancelled run has to finish its step and to be graded, in ms. */
const CANCEL_GRACE_MS = 5_000;
/** Time that a step has to finish when the run's time limit is reached, in ms. */
const STEP_GRACE_MS = 1_000;

/** Ends a run early: when it is cancelled, when its time is up, or or when something that it uses fails. */
export class RunClock {
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  readonly #step = new AbortController();
  /** Ends the agent loop; the run is still graded where possible. */
  readonly stop = this.#stop.signal;
  /** Ends every pending request. */
  readonly abort = this.#abort.signal;
  /** Ends the current step: with `abort`, or some time after the run's time limit. */
  readonly step = this.#step.signal;
  readonly #cancel: AbortSignal;
  readonly #limitMs: number | undefined;
  /** The time that is left while the clock is suspended, in ms; undefined without a limit. */
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

  fail(failure: RunFailure): void {
    for (const controller of [this.#stop, this.#abort, this.#step]) controller.abort(failure);
  }

  /** Starts or resumes the run's time limit. */
  start(): void {
    if (this.#remaining === undefined || this.#timer !== undefined) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => {
      const reason = new TimeLimit((this.#limitMs ?? 0) / 1000);
      this.#stop.abort(reason);
      this.#grace = setTimeout(() => this.#step.abort(reason), STEP_GRACE_MS);
    }, this.#remaining);
  }

  /** Suspends the time limit until the returned function is called. */
  suspend(): () => void {
    if (this.#remaining !== undefined && this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#remaining = Math.max(0, this.#remaining - (performance.now() - this.#startedAt));
    }
    return () => this.start();
  }

  dispose(): void {
    this.#cancel.removeEventListener('abort', this.#onCancel);
    clearTimeout(this.#cancelGrace);
    clearTimeout(this.#grace);
    this.suspend();
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
