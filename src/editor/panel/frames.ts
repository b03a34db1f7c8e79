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
  #sent = false;

  /** `ahead`: how many frames may be on their way at once, so that sending and drawing overlap. */
  constructor(send: (frame: Frame) => void, ahead = 3) {
    this.#send = send;
    this.#ahead = ahead;
  }

  offer(frame: Frame): void {
    this.#newest = frame;
    this.#sent = false;
    this.#pass();
  }

  /** The page has drawn the newest frame it had, and has left out those before it. */
  drawn(): void {
    this.#undrawn = 0;
    this.#pass();
  }

  /**
   * The page is there and can be seen. What it was sent before may be lost, and an environment where nothing moves
   * sends no second picture: the newest is sent again.
   */
  open(): void {
    this.#open = true;
    this.#undrawn = 0;
    this.#sent = false;
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
    if (frame === undefined || this.#sent || !this.#open || this.#undrawn >= this.#ahead) return;
    this.#sent = true;
    this.#undrawn += 1;
    this.#send(frame);
  }
}
