/** How often each side of a lane sends a ping, in ms, and how many silent periods mean that the other side is lost. */
const PERIOD = 5_000;
const SILENT_PERIODS = 4;

/**
 * Notices that the other side is silent. Counts periods instead of comparing times: a process that was busy or suspended does
 * not mistake its own absence for that of the other side.
 */
export class Heartbeat {
  readonly #timer: NodeJS.Timeout;
  #silent = 0;

  constructor(options: { ping(): void; lost(): void }) {
    this.#timer = setInterval(() => {
      this.#silent += 1;
      if (this.#silent <= SILENT_PERIODS) {
        options.ping();
        return;
      }
      this.stop();
      options.lost();
    }, PERIOD);
    this.#timer.unref();
  }

  /** Called when the other side has sent something. */
  reset(): void {
    this.#silent = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
