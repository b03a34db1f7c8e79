import type { HeldKey, ManualGesture, Point } from '../../src/editor/panel/messages.ts';

/** A moment of the mouse: where in the page, and where in the window, in pixels. */
export interface Moment {
  readonly page: Point;
  readonly window: Point;
  readonly hold: readonly HeldKey[];
}

type Button = 'left' | 'right' | 'middle';
type Click = Extract<ManualGesture, { kind: 'click' }>;

/** How long another click may take to come, in milliseconds, to be a double click. */
const AGAIN_MS = 250;
/** How far the pressed mouse may tremble, in pixels of the window, and still click. */
const TREMBLE = 4;
const MOST_CLICKS = 3;

/** Tells clicks, double clicks and drags apart, which all begin in the same way. */
export class Gestures {
  readonly #emit: (input: ManualGesture) => void;
  #pressed: { readonly button: Button; readonly from: Moment; readonly path: Point[]; drags: boolean } | null = null;
  /** A click that may become a double click. */
  #waiting: { readonly click: Click; readonly window: Point; timer: ReturnType<typeof setTimeout> | null } | null =
    null;

  constructor(emit: (input: ManualGesture) => void) {
    this.#emit = emit;
  }

  /** The way of the mouse while it drags. */
  get path(): readonly Point[] | null {
    return this.#pressed?.drags === true ? this.#pressed.path : null;
  }

  down(button: Button, at: Moment): void {
    if (this.#pressed !== null) return;
    const waiting = this.#waiting;
    if (waiting !== null && button === 'left' && isNear(waiting.window, at.window)) {
      if (waiting.timer !== null) clearTimeout(waiting.timer);
      waiting.timer = null;
    } else this.settle();
    this.#pressed = { button, from: at, path: [at.page], drags: false };
  }

  move(at: Moment): void {
    const pressed = this.#pressed;
    if (pressed === null || pressed.button !== 'left') return;
    pressed.drags ||= !isNear(pressed.from.window, at.window);
    const last = pressed.path.at(-1);
    if (last?.x !== at.page.x || last.y !== at.page.y) pressed.path.push(at.page);
  }

  up(at: Moment): void {
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
    if (button !== 'left' || count === MOST_CLICKS) {
      this.#waiting = null;
      this.#emit(click);
      return;
    }
    this.#waiting = { click, window: from.window, timer: setTimeout(() => this.settle(), AGAIN_MS) };
  }

  /** Something else is done: a click that waits for another one is a click. */
  settle(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) return;
    if (waiting.timer !== null) clearTimeout(waiting.timer);
    this.#emit(waiting.click);
  }

  /** The mouse was taken away while it was pressed. */
  cancel(): void {
    this.#pressed = null;
    this.settle();
  }
}

function isNear(a: Point, b: Point): boolean {
  return Math.hypot(a.x - b.x, a.y - b.y) <= TREMBLE;
}
