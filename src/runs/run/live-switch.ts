import { Listeners } from '../../base/listeners.ts';

/** Whether a live view of the run is visible. Frames cost time, so they are requested only then. */
export class LiveSwitch {
  #on: boolean;
  readonly #listeners = new Listeners<[on: boolean]>();
  /** Returns a function that removes the listener. */
  readonly onChange = this.#listeners.add;

  constructor(on = false) {
    this.#on = on;
  }

  get on(): boolean {
    return this.#on;
  }

  set(on: boolean): void {
    if (on === this.#on) return;
    this.#on = on;
    this.#listeners.notify(on);
  }
}
