import type { HeldKey, ManualGesture, Point } from '../../src/presentation/runs/messages.ts';

/** A pointer position in pixels of the page and of the window. */
export interface PointerSample {
  readonly page: Point;
  readonly window: Point;
  readonly hold: readonly HeldKey[];
}

type Button = 'left' | 'right' | 'middle';
type Click = Extract<ManualGesture, { kind: 'click' }>;

/** Milliseconds between the clicks of a double click. */
const DOUBLE_CLICK_MS = 250;
/** Maximum movement in window pixels between pressing and releasing the mouse for a click. */
const CLICK_TOLERANCE = 4;
const MAX_CLICKS = 3;

/** Recognizes clicks, double clicks, and drags. */
export class Gestures {
  readonly #emit: (input: ManualGesture) => void;
  #pressed: { readonly button: Button; readonly from: PointerSample; readonly path: Point[]; drags: boolean } | null =
    null;
  /** A click that may become a double click. */
  #waiting: { readonly click: Click; readonly window: Point; timer: ReturnType<typeof setTimeout> | null } | null =
    null;

  constructor(emit: (input: ManualGesture) => void) {
    this.#emit = emit;
  }

  /** The path of a drag in progress. */
  get path(): readonly Point[] | null {
    return this.#pressed?.drags === true ? this.#pressed.path : null;
  }

  down(button: Button, at: PointerSample): void {
    if (this.#pressed !== null) return;
    const waiting = this.#waiting;
    if (waiting !== null && button === 'left' && isNear(waiting.window, at.window)) {
      if (waiting.timer !== null) clearTimeout(waiting.timer);
      waiting.timer = null;
    } else this.settle();
    this.#pressed = { button, from: at, path: [at.page], drags: false };
  }

  move(at: PointerSample): void {
    const pressed = this.#pressed;
    if (pressed === null || pressed.button !== 'left') return;
    pressed.drags ||= !isNear(pressed.from.window, at.window);
    const last = pressed.path.at(-1);
    if (last?.x !== at.page.x || last.y !== at.page.y) pressed.path.push(at.page);
  }

  up(at: PointerSample): void {
    this.move(at);
    const pressed = this.#pressed;
    this.#pressed = null;
    if (pressed === null) return;
    const { button, from, path, drags } = pressed;
    if (drags) {
      this.settle();
      this.#emit({ kind: 'drag', path, hold: from.hold });
      return;
    }
    const count = (this.#waiting?.click.count ?? 0) + 1;
    const click: Click = { kind: 'click', point: from.page, button, count, hold: from.hold };
    if (button !== 'left' || count === MAX_CLICKS) {
      this.#waiting = null;
      this.#emit(click);
      return;
    }
    this.#waiting = { click, window: from.window, timer: setTimeout(() => this.settle(), DOUBLE_CLICK_MS) };
  }

  /** Emits a pending click that can no longer become a double click. */
  settle(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) return;
    if (waiting.timer !== null) clearTimeout(waiting.timer);
    this.#emit(waiting.click);
  }

  /** The pointer was cancelled while pressed. */
  cancel(): void {
    this.#pressed = null;
    this.settle();
  }
}

function isNear(a: Point, b: Point): boolean {
  return Math.hypot(a.x - b.x, a.y - b.y) <= CLICK_TOLERANCE;
}
