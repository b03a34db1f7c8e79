import type * as vscode from 'vscode';

/** Disposes everything added to it. What is added after disposal is disposed immediately, so late work leaks nothing. */
export class DisposableStore implements vscode.Disposable {
  readonly #items = new Set<vscode.Disposable>();
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  add<T extends vscode.Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.add(item);
    return item;
  }

  dispose(): void {
    this.#disposed = true;
    for (const item of this.#items) item.dispose();
    this.#items.clear();
  }
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
  #disposed = false;

  constructor(delayMs: number, work: () => Promise<void> | void) {
    this.#work = work;
    this.#delayMs = delayMs;
  }

  schedule(): void {
    if (this.#disposed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), this.#delayMs);
  }

  async #run(): Promise<void> {
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
    this.#disposed = true;
    clearTimeout(this.#timer);
  }
}
