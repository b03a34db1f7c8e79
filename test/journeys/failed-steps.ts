/**
 * The failed step of each window. The tests of a journey are steps that need the one before: those after a failed step in
 * the same window would each wait in vain for what that step should have led to.
 */
export class FailedSteps<W extends object> {
  readonly #failed = new Map<W, string>();

  /** Says that a step failed while these windows were open. The first failed step of a window counts. */
  add(step: string, windows: Iterable<W>): void {
    for (const window of windows) if (!this.#failed.has(window)) this.#failed.set(window, step);
  }

  /** Forgets what happened in a window that is closed, or that the next journey takes. */
  forget(window: W): void {
    this.#failed.delete(window);
  }

  /** Throws an error that says that the next step is not run, if an earlier one failed in one of these windows. */
  check(windows: Iterable<W>): void {
    for (const window of windows) {
      const step = this.#failed.get(window);
      if (step !== undefined) throw new NotRun(step);
    }
  }
}

/** A step that is not run. It counts as failed. */
export class NotRun extends Error {
  constructor(failed: string) {
    super(`not run: the step “${failed}” failed before`);
    this.name = 'NotRun';
  }
}
