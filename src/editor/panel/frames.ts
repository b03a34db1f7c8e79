/** Sends frames of the live view no faster than the page draws them: of waiting frames, only the newest is kept. */
export class FrameGate<Frame> {
  readonly #send: (frame: Frame) => void;
  readonly #maxUndrawn: number;
  #open = false;
  #undrawn = 0;
  #newest: Frame | undefined;
  #sent = false;

  /** @param maxUndrawn number of frames that may be in transit, so that sending and drawing overlap */
  constructor(send: (frame: Frame) => void, maxUndrawn = 3) {
    this.#send = send;
    this.#maxUndrawn = maxUndrawn;
  }

  add(frame: Frame): void {
    this.#newest = frame;
    this.#sent = false;
    this.#pass();
  }

  /**
   * Sends the newest frame: the page has drawn the previous one and skipped older ones, or what follows must not be newer
   * than the live view.
   */
  flush(): void {
    this.#undrawn = 0;
    this.#pass();
  }

  /**
   * The page is visible. Sends the newest frame again: earlier frames may be lost, and a static environment sends no
   * other one.
   */
  open(): void {
    this.#open = true;
    this.#sent = false;
    this.flush();
  }

  /** The page is hidden. */
  close(): void {
    this.#open = false;
  }

  /** Another run is shown: drops the frame of the previous one. */
  clear(): void {
    this.#newest = undefined;
    this.#undrawn = 0;
  }

  #pass(): void {
    const frame = this.#newest;
    if (frame === undefined || this.#sent || !this.#open || this.#undrawn >= this.#maxUndrawn) return;
    this.#sent = true;
    this.#undrawn += 1;
    this.#send(frame);
  }
}
