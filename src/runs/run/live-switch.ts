/** Whether a live view of the run is visible. Frames cost time, so they are requested only then. */
export class LiveSwitch {
  #on: boolean;
  readonly #listeners = new Set<(on: boolean) => void>();

  constructor(on = false) {
    this.#on = on;
  }

  get on(): boolean {
    return this.#on;
  }

  set(on: boolean): void {
    if (on === this.#on) return;
    this.#on = on;
    for (const listener of this.#listeners) listener(on);
  }

  /** Returns a function that removes the listener. */
  onChange(listener: (on: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
