import { el } from './dom.ts';

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** A PNG or a JPEG, which it says itself. */
  readonly data: ArrayBuffer;
}

/**
 * The live picture. Of frames that come faster than they can be decoded or drawn only the newest is kept, so the
 * picture is never late.
 */
export class LivePicture {
  readonly canvas = el('canvas', {
    class: 'shot-picture',
    role: 'img',
    'aria-label': 'Live picture of the environment',
  });
  readonly #drawn: (frame: { width: number; height: number } | null) => void;
  #waiting: Frame | null = null;
  #decoding = false;
  #ready: ImageBitmap | null = null;

  /** `drawn` is told the size of each picture that was drawn; null where one could not be read. */
  constructor(drawn: (frame: { width: number; height: number } | null) => void) {
    this.#drawn = drawn;
  }

  receive(frame: Frame): void {
    this.#waiting = frame;
    if (!this.#decoding) void this.#decode();
  }

  /** Forgets the picture: another run begins. */
  clear(): void {
    this.#waiting = null;
    this.canvas.width = 0;
    this.canvas.removeAttribute('data-frames');
  }

  async #decode(): Promise<void> {
    this.#decoding = true;
    for (let frame = this.#take(); frame !== null; frame = this.#take()) {
      const bitmap = await createImageBitmap(new Blob([frame.data])).catch((error: unknown) => {
        console.error('Taskwright: a frame of the live picture could not be read.', error);
        return null;
      });
      if (bitmap === null) {
        this.#drawn(null);
        continue;
      }
      const asked = this.#ready !== null;
      this.#ready?.close();
      this.#ready = bitmap;
      if (!asked) requestAnimationFrame(() => this.#draw());
    }
    this.#decoding = false;
  }

  #take(): Frame | null {
    const frame = this.#waiting;
    this.#waiting = null;
    return frame;
  }

  #draw(): void {
    const bitmap = this.#ready;
    this.#ready = null;
    if (bitmap === null) return;
    const { canvas } = this;
    const size = { width: bitmap.width, height: bitmap.height };
    if (canvas.width !== size.width || canvas.height !== size.height) Object.assign(canvas, size);
    canvas.getContext('2d', { alpha: false })?.drawImage(bitmap, 0, 0);
    bitmap.close();
    canvas.dataset['frames'] = String(Number(canvas.dataset['frames'] ?? 0) + 1);
    this.#drawn(size);
  }
}
