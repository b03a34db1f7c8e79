import { setTimeout as pause } from 'node:timers/promises';
import type { XPointer } from 'x11';
import type { Point } from '../../actions/action.ts';
import type { MouseButton } from '../../actions/normal.ts';
import type { Connection } from './connection.ts';

const BUTTONS: Readonly<Record<MouseButton, number>> = { left: 1, middle: 2, right: 3, back: 8, forward: 9 };
const [UP, DOWN, LEFT, RIGHT] = [4, 5, 6, 7];
/** The number of pixels that one notch of the wheel scrolls. */
const NOTCH = 120;
/** The interval between points of a drag in ms. Programs skip points that arrive faster. */
const DRAG_PACE = 8;
/** The interval of the clicks of a double click in ms. Programs treat two simultaneous clicks as one. */
const DOUBLE_CLICK_PACE = 20;
/** The distance between points of a drag in pixels. */
const DRAG_STRIDE = 12;

/** The bits for buttons in the X11 protocol's KeyButMask. */
const ANY_BUTTON = 0x1f00;
/** How long a window manager may withhold a click, and the interval of checks, in ms. */
const PASSING_ON = { limit: 1000, pace: 2 };
/** How long the server may take to move the pointer, and the interval of checks, in ms. */
const ARRIVAL = { limit: 200, pace: 1 };

/** The mouse of a desktop. */
export class Pointer {
  at: Point = { x: 0, y: 0 };
  readonly #connection: Connection;
  readonly #onMove: () => void;
  readonly #down = new Set<number>();

  /** `onMove` is called after each move. */
  constructor(connection: Connection, onMove: () => void) {
    this.#connection = connection;
    this.#onMove = onMove;
  }

  async move({ x, y }: Point): Promise<void> {
    const { test, root, width, height } = this.#connection;
    this.at = { x: within(x, width), y: within(y, height) };
    test.FakeInput(test.MotionNotify, 0, 0, root, this.at.x, this.at.y);
    // A program may prevent that the pointer arrives.
    await this.#poll(ARRIVAL, ({ rootX, rootY }) => rootX === this.at.x && rootY === this.at.y);
    this.#onMove();
  }

  async press(button: MouseButton): Promise<void> {
    this.#button(BUTTONS[button], true);
    await this.#connection.sync();
  }

  async release(button: MouseButton): Promise<void> {
    this.#button(BUTTONS[button], false);
    await this.#passOn();
  }

  /**
   * `delays`: milliseconds before each further click. The server itself waits before a click without a delay, so that the
   * interval is that of a double click even on a slow machine.
   */
  async click(button: MouseButton, delays: readonly number[], closeSignal: AbortSignal): Promise<void> {
    this.#click(BUTTONS[button], 0);
    for (const delay of delays) {
      if (delay > 0) {
        await this.#passOn();
        await pause(delay, undefined, { signal: closeSignal });
      }
      this.#click(BUTTONS[button], delay > 0 ? 0 : DOUBLE_CLICK_PACE);
    }
    await this.#passOn();
  }

  /** Scrolls by a number of pixels, in whole notches. */
  async scroll(x: number, y: number): Promise<void> {
    this.#turn(y, UP, DOWN);
    this.#turn(x, LEFT, RIGHT);
    await this.#connection.sync();
  }

  /** Waits until the state of the pointer fulfills a condition, up to a limit. */
  async #poll({ limit, pace }: typeof ARRIVAL, condition: (state: XPointer) => boolean): Promise<void> {
    const { x, root } = this.#connection;
    const until = performance.now() + limit;
    for (;;) {
      const state = await this.#connection.ask<XPointer>((done) => x.QueryPointer(root, done));
      if (condition(state) || performance.now() > until) return;
      await pause(pace);
    }
  }

  /**
   * Waits until the window manager has passed on a click. It gets the click first to activate the window, and until
   * then the server queues mouse events but not key events, so that later keys would arrive before the click.
   */
  #passOn(): Promise<void> {
    return this.#poll(PASSING_ON, ({ keyMask }) => (keyMask & ANY_BUTTON) === 0 || this.#down.size > 0);
  }

  #turn(pixels: number, back: number, forth: number): void {
    for (let count = notchesOf(pixels); count > 0; count--) {
      this.#button(pixels < 0 ? back : forth, true);
      this.#button(pixels < 0 ? back : forth, false);
    }
  }

  /** `wait`: milliseconds that the server waits before the click. */
  #click(button: number, wait: number): void {
    this.#button(button, true, wait);
    this.#button(button, false);
  }

  #button(button: number, down: boolean, wait = 0): void {
    const { test, root } = this.#connection;
    if (down) this.#down.add(button);
    else this.#down.delete(button);
    test.FakeInput(down ? test.ButtonPress : test.ButtonRelease, button, wait, root, 0, 0);
  }
}

/** Presses at the first point, moves along the others slowly enough for programs, and releases at the last one. */
export async function dragAlong(
  pointer: Pick<Pointer, 'at' | 'move' | 'press' | 'release'>,
  path: readonly Point[],
  delays: readonly number[],
  closeSignal: AbortSignal,
): Promise<void> {
  const [start, ...rest] = path;
  if (start === undefined) return;
  await pointer.move(start);
  await pause(DRAG_PACE);
  await pointer.press('left');
  try {
    for (const [index, point] of rest.entries()) {
      const delay = delays[index] ?? 0;
      if (delay > 0) await pause(delay, undefined, { signal: closeSignal });
      for (const between of wayTo(pointer.at, point)) {
        await pause(DRAG_PACE);
        await pointer.move(between);
      }
    }
    await pause(DRAG_PACE);
  } finally {
    await pointer.release('left');
  }
}

/** The points between two points, including the second one. */
export function wayTo(from: Point, to: Point): readonly Point[] {
  const steps = Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / DRAG_STRIDE));
  return Array.from({ length: steps }, (_, index) => ({
    x: Math.round(from.x + ((to.x - from.x) * (index + 1)) / steps),
    y: Math.round(from.y + ((to.y - from.y) * (index + 1)) / steps),
  }));
}

/** The number of notches of the wheel for a number of pixels. */
export function notchesOf(pixels: number): number {
  return pixels === 0 ? 0 : Math.max(1, Math.round(Math.abs(pixels) / NOTCH));
}

/** A coordinate on the screen. */
export function within(value: number, size: number): number {
  return Math.min(size - 1, Math.max(0, Math.round(value)));
}
