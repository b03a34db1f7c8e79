/** The listeners of an event, by what it passes to them. */
export class Listeners<Values extends readonly unknown[]> {
  readonly #listeners = new Set<(...values: Values) => unknown>();

  /** Returns a function that removes the listener. */
  readonly add = (listener: (...values: Values) => unknown): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  notify(...values: Values): void {
    for (const listener of this.#listeners) listener(...values);
  }
}
