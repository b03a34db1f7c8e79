import { setTimeout as pause } from 'node:timers/promises';
import type { Point } from '../../actions/action.ts';
import type { MouseButton } from '../../actions/normal.ts';
import type { Connection } from './connection.ts';

const BUTTONS: Readonly<Record<MouseButton, number>> = { left: 1, middle: 2, right: 3, back: 8, forward: 9 };
const [UP, DOWN, LEFT, RIGHT] = [4, 5, 6, 7];
/** The number of pixels that one notch of the wheel scrolls. */
const NOTCH = 120;
/** The interval between points of a drag in ms. Programs skip points that arrive faster. */
const DRAG_PACE = 8;
/** The interval of the clicks of a double click in ms. Programs take two clicks at the same time for one. */
const DOUBLE_CLICK_PACE = 20;
/** The distance between points of a drag in pixels. */
const DRAG_STRIDE = 12;

/** The bits for buttons in the X11 protocol's KeyButMask. */
const ANY_BUTTON = 0x1f00;
/** How long a window manager may withhold a click, and the interval of checks, in ms. */
const HANDED_ON = { limit: 1000, pace: 2 };
/** How long the server may take to move the pointer, and the interval of checks, in ms. */
const ARRIVED = { limit: 200, pace: 1 };

/** The mouse of a desktop. */
export class Pointer {
  at: Point = { x: 0, y: 0 };
  readonly #connection: Connection;
  readonly #moved: () => void;
  readonly #down = new Set<number>();

  /** `moved` is called after each move. */
  constructor(connection: Connection, moved: () => void) {
    this.#connection = connection;
    this.#moved = moved;
  }

  async move({ x, y }: Point): Promise<void> {
    const { test, root, width, height } = this.#connection;
    const at = { x: within(x, width), y: within(y, height) };
    this.at = at;
    test.FakeInput(test.MotionNotify, 0, 0, root, at.x, at.y);
    await this.#arrived();
    this.#moved();
  }

  async press(button: MouseButton): Promise<void> {
    this.#button(BUTTONS[button], true);
    await this.#connection.sync();
  }

  async release(button: MouseButton): Promise<void> {
    this.#button(BUTTONS[button], false);
    await this.#handedOn();
  }

  /**
   * `delays`: milliseconds before each further click. The server itself waits before a click without a delay: a program
   * takes those for a double click only if no more than its own limit is between them, however slow the machine is.
   */
  async click(button: MouseButton, delays: readonly number[], closed: AbortSignal): Promise<void> {
    this.#click(BUTTONS[button], 0);
    for (const delay of delays) {
      if (delay > 0) {
        await this.#handedOn();
        await pause(delay, undefined, { signal: closed });
      }
      this.#click(BUTTONS[button], delay > 0 ? 0 : DOUBLE_CLICK_PACE);
    }
    await this.#handedOn();
  }

  /** Scrolls by a number of pixels, in whole notches. */
  async scroll(x: number, y: number): Promise<void> {
    this.#turn(y, UP, DOWN);
    this.#turn(x, LEFT, RIGHT);
    await this.#connection.sync();
  }

  /** Presses at the first point, moves along the others slowly enough for programs, and releases at the last one. */
  async drag(path: readonly Point[], delays: readonly number[], closed: AbortSignal): Promise<void> {
    await dragAlong(this, path, delays, closed);
  }

  /** Releases all pressed buttons. */
  async releaseAll(): Promise<void> {
    for (const button of this.#down) this.#button(button, false);
    await this.#connection.sync();
  }

  /** Waits until the pointer is at its position. A program may prevent that. */
  async #arrived(): Promise<void> {
    const until = performance.now() + ARRIVED.limit;
    for (;;) {
      const { rootX, rootY } = await this.#asked();
      if ((rootX === this.at.x && rootY === this.at.y) || performance.now() > until) return;
      await pause(ARRIVED.pace);
    }
  }

  #asked() {
    const { x, root } = this.#connection;
    return this.#connection.ask<{ readonly rootX: number; readonly rootY: number; readonly keyMask: number }>((done) =>
      x.QueryPointer(root, done),
    );
  }

  /**
   * Waits until the window manager has passed on a click. It gets the click first to activate the window, and until
   * then the server queues mouse events but not key events, so that later keys would arrive before the click.
   */
  async #handedOn(): Promise<void> {
    const until = performance.now() + HANDED_ON.limit;
    for (;;) {
      const { keyMask } = await this.#asked();
      if ((keyMask & ANY_BUTTON) === 0 || this.#down.size > 0 || performance.now() > until) return;
      await pause(HANDED_ON.pace);
    }
  }

  #turn(pixels: number, back: number, forth: number): void {
    const notches = pixels === 0 ? 0 : Math.max(1, Math.round(Math.abs(pixels) / NOTCH));
    for (let turned = 0; turned < notches; turned++) {
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
  closed: AbortSignal,
): Promise<void> {
  const [start, ...rest] = path;
  if (start === undefined) return;
  await pointer.move(start);
  await pause(DRAG_PACE);
  await pointer.press('left');
  try {
    for (const [index, point] of rest.entries()) {
      const delay = delays[index] ?? 0;
      if (delay > 0) await pause(delay, undefined, { signal: closed });
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

/** A coordinate on the screen. */
export function within(value: number, size: number): number {
  return Math.min(size - 1, Math.max(0, Math.round(value)));
}
