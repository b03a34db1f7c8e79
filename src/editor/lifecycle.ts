import type * as vscode from 'vscode';

/** Something that registers listeners and other resources, and disposes them with itself. */
export abstract class Disposable implements vscode.Disposable {
  readonly #items = new Set<vscode.Disposable>();
  #isDisposed = false;

  protected get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Returns the item. After disposal, it is disposed immediately, so that late work leaks nothing. */
  protected register<T extends vscode.Disposable>(item: T): T {
    if (this.#isDisposed) item.dispose();
    else this.#items.add(item);
    return item;
  }

  protected registerAll(...items: readonly vscode.Disposable[]): void {
    for (const item of items) this.register(item);
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const item of this.#items) item.dispose();
    this.#items.clear();
  }
}

/** Calls `work` at an interval until it is disposed. */
export function every(intervalMs: number, work: () => unknown): vscode.Disposable {
  const timer = setInterval(work, intervalMs);
  return { dispose: () => clearInterval(timer) };
}

/**
 * Runs `work` once `delayMs` have passed since the last `schedule`, and never concurrently: a call during the work runs
 * it once more afterward.
 */
export class Debouncer implements vscode.Disposable {
  readonly #work: () => Promise<void> | void;
  readonly #delayMs: number;
  #timer: NodeJS.Timeout | undefined;
  #working = false;
  #again = false;
  #isDisposed = false;

  constructor(delayMs: number, work: () => Promise<void> | void) {
    this.#work = work;
    this.#delayMs = delayMs;
  }

  schedule(): void {
    if (this.#isDisposed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), this.#delayMs);
  }

  /** Schedules the work unless it is scheduled: with frequent calls it runs at this interval. */
  scheduleOnce(): void {
    if (this.#timer === undefined) this.schedule();
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    if (this.#working) {
      this.#again = true;
      return;
    }
    this.#working = true;
    try {
      await this.#work();
    } finally {
      this.#working = false;
      if (this.#again) {
        this.#again = false;
        this.schedule();
      }
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }
}
