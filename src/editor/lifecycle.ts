import type * as vscode from 'vscode';

/** Owns what was made; what is added after the end is disposed at once, so that nothing leaks from late work. */
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
 * Does `work` once things have been quiet for `delayMs`, never twice at a time; what is asked for while it works is done
 * once more afterwards.
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
