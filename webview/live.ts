import * as l10n from '@vscode/l10n';
import { el } from './dom.ts';

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** A PNG or JPEG. */
  readonly data: ArrayBuffer;
}

/** The live view. Frames that arrive faster than they can be decoded or drawn are dropped, except the newest. */
export class LiveView {
  readonly canvas = el('canvas', {
    class: 'shot-picture',
    role: 'img',
    'aria-label': l10n.t('Live view of the environment'),
  });
  readonly #onDraw: (frame: { width: number; height: number } | null) => void;
  #waiting: Frame | null = null;
  #decoding = false;
  #ready: ImageBitmap | null = null;

  /** `onDraw` is called with the size of each drawn frame, or null for an invalid one. */
  constructor(onDraw: (frame: { width: number; height: number } | null) => void) {
    this.#onDraw = onDraw;
  }

  receive(frame: Frame): void {
    this.#waiting = frame;
    if (!this.#decoding) void this.#decode();
  }

  /** Removes the frame of the previous run. */
  clear(): void {
    this.#waiting = null;
    this.canvas.width = 0;
    this.canvas.removeAttribute('data-frames');
  }

  async #decode(): Promise<void> {
    this.#decoding = true;
    for (let frame = this.#takeFrame(); frame !== null; frame = this.#takeFrame()) {
      const bitmap = await createImageBitmap(new Blob([frame.data])).catch((error: unknown) => {
        console.error('Taskwright: invalid frame of the live view.', error);
        return null;
      });
      if (bitmap === null) {
        this.#onDraw(null);
        continue;
      }
      const isRequested = this.#ready !== null;
      this.#ready?.close();
      this.#ready = bitmap;
      if (!isRequested) requestAnimationFrame(() => this.#draw());
    }
    this.#decoding = false;
  }

  #takeFrame(): Frame | null {
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
    this.#onDraw(size);
  }
}
