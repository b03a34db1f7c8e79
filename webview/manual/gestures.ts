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
  #press: { readonly button: Button; readonly from: PointerSample; readonly path: Point[]; drags: boolean } | null =
    null;
  /** A click that may become a double click. */
  #waiting: { readonly click: Click; readonly window: Point; timer: ReturnType<typeof setTimeout> | null } | null =
    null;

  constructor(emit: (input: ManualGesture) => void) {
    this.#emit = emit;
  }

  /** The path of a drag in progress. */
  get path(): readonly Point[] | null {
    return this.#press?.drags === true ? this.#press.path : null;
  }

  down(button: Button, at: PointerSample): void {
    if (this.#press !== null) return;
    const waiting = this.#waiting;
    if (waiting !== null && button === 'left' && isNear(waiting.window, at.window)) {
      if (waiting.timer !== null) clearTimeout(waiting.timer);
      waiting.timer = null;
    } else this.settle();
    this.#press = { button, from: at, path: [at.page], drags: false };
  }

  move(at: PointerSample): void {
    const press = this.#press;
    if (press === null || press.button !== 'left') return;
    press.drags ||= !isNear(press.from.window, at.window);
    const last = press.path.at(-1);
    if (last?.x !== at.page.x || last.y !== at.page.y) press.path.push(at.page);
  }

  up(at: PointerSample): void {
    this.move(at);
    const press = this.#press;
    this.#press = null;
    if (press === null) return;
    const { button, from, path, drags } = press;
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
    this.#press = null;
    this.settle();
  }
}

function isNear(a: Point, b: Point): boolean {
  return Math.hypot(a.x - b.x, a.y - b.y) <= CLICK_TOLERANCE;
}
