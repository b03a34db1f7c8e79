/**
 * Lets frames of the live picture through as fast as they are drawn and no faster: while the page is behind, only the
 * newest waits and the others are dropped.
 */
export class FrameGate<Frame> {
  readonly #send: (frame: Frame) => void;
  readonly #ahead: number;
  #open = false;
  #undrawn = 0;
  #newest: Frame | undefined;

  /** `ahead`: how many frames may be on their way at once, so that sending and drawing overlap. */
  constructor(send: (frame: Frame) => void, ahead = 3) {
    this.#send = send;
    this.#ahead = ahead;
  }

  offer(frame: Frame): void {
    this.#newest = frame;
    this.#pass();
  }

  /** The page has drawn the newest frame it had, and has left out those before it. */
  drawn(): void {
    this.#undrawn = 0;
    this.#pass();
  }

  /** The page is there and can be seen; what was on its way to an earlier page is lost. */
  open(): void {
    this.#open = true;
    this.#undrawn = 0;
    this.#pass();
  }

  /** Nobody can see the page. */
  close(): void {
    this.#open = false;
  }

  /** Another run is shown: a frame of the last one must not come after it. */
  clear(): void {
    this.#newest = undefined;
    this.#undrawn = 0;
  }

  #pass(): void {
    const frame = this.#newest;
    if (frame === undefined || !this.#open || this.#undrawn >= this.#ahead) return;
    this.#newest = undefined;
    this.#undrawn += 1;
    this.#send(frame);
  }
}
