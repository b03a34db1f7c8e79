/** Says whether somebody watches the live picture of a run: frames cost time, so they are asked for only then. */
export class LiveSwitch {
  #on: boolean;
  readonly #listeners = new Set<(on: boolean) => void>();

  constructor(on = false) {
    this.#on = on;
  }

  get on(): boolean {
    return this.#on;
  }

  turn(on: boolean): void {
    if (on === this.#on) return;
    this.#on = on;
    for (const listener of this.#listeners) listener(on);
  }

  /** Returns the function that stops listening. */
  onChange(listener: (on: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
