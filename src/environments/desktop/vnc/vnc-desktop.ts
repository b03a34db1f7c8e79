import { setTimeout as pause } from 'node:timers/promises';
import type { Point } from '../../../actions/action.ts';
import type { MouseButton } from '../../../actions/normal.ts';
import { patient } from '../../../base/patience.ts';
import { withTimeout } from '../../../base/timeout.ts';
import { EnvironmentError, type Picture } from '../../environment.ts';
import { PngEncoder } from '../../png.ts';
import { keysymsOfKeys, keysymsOfText, UnknownKey } from '../keysyms.ts';
import { liveFrames } from '../live-frames.ts';
import { dragAlong, notchesOf, within } from '../pointer.ts';
import type { UsedDesktop } from '../used-desktop.ts';
import type { RfbClient } from './rfb.ts';

/** How long to wait for the first change after an action, for no further change, and at most, in ms. Servers send late. */
const CHANGE = { first: 80, quiet: 40, most: 500 };
/** Time limit for an answer of the server, in ms. */
const ANSWER_LIMIT = patient(10_000);

/** The bits of buttons in a message of the protocol. It has none for `forward`. */
const BUTTONS: Readonly<Record<Exclude<MouseButton, 'forward'>, number>> = { left: 1, middle: 2, right: 4, back: 128 };
const WHEEL = { up: 8, down: 16, left: 32, right: 64 };

/** A desktop that another program runs, over VNC. Other clients may use it too. */
export class VncDesktop implements UsedDesktop {
  readonly pointer: VncPointer;
  readonly keyboard: VncKeyboard;
  readonly screen: VncScreen;
  readonly messages: [] = [];
  /** Rejects with `EnvironmentError` when the connection has ended; never resolves. */
  readonly broken: Promise<never>;
  readonly #client: RfbClient;

  constructor(client: RfbClient) {
    this.#client = client;
    const end = Promise.withResolvers<never>();
    this.broken = end.promise;
    // The next request reports it.
    this.broken.catch(() => undefined);
    this.screen = new VncScreen(client, this.broken);
    this.pointer = new VncPointer(client, this.screen);
    this.keyboard = new VncKeyboard(client, this.screen);
    client.listen({
      onUpdate: (isChanged) => this.screen.update(isChanged),
      onEnd: ({ message }) => {
        const text = `The connection to the desktop of the environment was lost: ${message}.`;
        end.reject(new EnvironmentError('environment_lost', text));
      },
    });
  }

  get size(): { readonly width: number; readonly height: number } {
    return { width: this.#client.width, height: this.#client.height };
  }

  settle(since: number): Promise<void> {
    return this.screen.settle(since);
  }

  /** A VNC server does not report windows. */
  async windows(): Promise<null> {
    return null;
  }

  async close(): Promise<void> {
    this.#client.close();
  }
}

class VncScreen {
  readonly #client: RfbClient;
  readonly #broken: Promise<never>;
  readonly #watchers = new Set<() => void>();
  /** Called with the next answer of the server. */
  readonly #onAnswer: (() => void)[] = [];
  #encoder: { readonly png: PngEncoder; readonly width: number; readonly height: number } | null = null;
  /** The time of the last change. */
  #lastChange = 0;
  #changes = 0;
  /** `of`: the number of changes that it shows. */
  #last: { readonly of: number; readonly picture: Promise<Picture> } | null = null;

  constructor(client: RfbClient, broken: Promise<never>) {
    this.#client = client;
    this.#broken = broken;
  }

  update(isChanged: boolean): void {
    for (const onAnswer of this.#onAnswer.splice(0)) onAnswer();
    if (!isChanged) return;
    this.#lastChange = performance.now();
    this.#changes += 1;
    for (const watcher of this.#watchers) watcher();
  }

  /** Resolves when the server has processed all messages so far, and has sent all changes so far. */
  async sync(): Promise<void> {
    const answer = new Promise<true>((resolve) => {
      this.#onAnswer.push(() => resolve(true));
    });
    this.#client.requestNow();
    if ((await withTimeout(ANSWER_LIMIT, Promise.race([answer, this.#broken]))) !== null) return;
    throw new EnvironmentError('environment_lost', 'The VNC server of the environment does not respond.');
  }

  async picture(): Promise<Picture> {
    await this.sync();
    return this.#current();
  }

  /** Waits for the effect of an action, and then until the screen settles. `since`: the time of the action. */
  async settle(since: number): Promise<void> {
    const { first, quiet, most } = CHANGE;
    for (;;) {
      const now = performance.now();
      const due = this.#lastChange > since ? this.#lastChange + quiet : since + first;
      if (now - since > most || now >= due) return;
      await Promise.race([pause(Math.ceil(due - now)), this.#broken]);
    }
  }

  live(frame: (picture: Picture) => void, onError: (error: Error) => void): () => Promise<void> {
    return liveFrames(this.#watchers, () => this.#current(), frame, onError);
  }

  #current(): Promise<Picture> {
    if (this.#last?.of !== this.#changes) this.#last = { of: this.#changes, picture: this.#encode() };
    return this.#last.picture;
  }

  async #encode(): Promise<Picture> {
    const { width, height, pixels } = this.#client;
    if (this.#encoder?.width !== width || this.#encoder.height !== height) {
      this.#encoder = { png: new PngEncoder(width, height), width, height };
    }
    return { type: 'png', data: await this.#encoder.png.encode(pixels), width, height };
  }
}

class VncPointer {
  at: Point = { x: 0, y: 0 };
  readonly #client: RfbClient;
  readonly #screen: VncScreen;
  #down = 0;

  constructor(client: RfbClient, screen: VncScreen) {
    this.#client = client;
    this.#screen = screen;
  }

  async move({ x, y }: Point): Promise<void> {
    this.at = { x: within(x, this.#client.width), y: within(y, this.#client.height) };
    this.#send(this.#down);
    await this.#screen.sync();
  }

  async press(button: MouseButton): Promise<void> {
    this.#down |= bitOf(button);
    this.#send(this.#down);
    await this.#screen.sync();
  }

  async release(button: MouseButton): Promise<void> {
    this.#down &= ~bitOf(button);
    this.#send(this.#down);
    await this.#screen.sync();
  }

  async click(button: MouseButton, delays: readonly number[], closed: AbortSignal): Promise<void> {
    for (const delay of [0, ...delays]) {
      if (delay > 0) await pause(delay, undefined, { signal: closed });
      this.#send(this.#down | bitOf(button));
      this.#send(this.#down);
    }
    await this.#screen.sync();
  }

  /** Scrolls by a number of pixels, in whole notches. */
  async scroll(x: number, y: number): Promise<void> {
    this.#turn(y, WHEEL.up, WHEEL.down);
    this.#turn(x, WHEEL.left, WHEEL.right);
    await this.#screen.sync();
  }

  drag(path: readonly Point[], delays: readonly number[], closed: AbortSignal): Promise<void> {
    return dragAlong(this, path, delays, closed);
  }

  #turn(pixels: number, back: number, forth: number): void {
    for (let count = notchesOf(pixels); count > 0; count--) {
      this.#send(this.#down | (pixels < 0 ? back : forth));
      this.#send(this.#down);
    }
  }

  #send(buttons: number): void {
    this.#client.point(this.at.x, this.at.y, buttons);
  }
}

function bitOf(button: MouseButton): number {
  if (button === 'forward') throw new UnknownKey('a desktop over VNC has no mouse button “forward”');
  return BUTTONS[button];
}

/** The server finds the key for a character, and presses Shift where it needs it. */
class VncKeyboard {
  readonly #client: RfbClient;
  readonly #screen: VncScreen;

  constructor(client: RfbClient, screen: VncScreen) {
    this.#client = client;
    this.#screen = screen;
  }

  async type(text: string): Promise<void> {
    for (const keysym of keysymsOfText(text)) {
      this.#client.key(keysym, true);
      this.#client.key(keysym, false);
    }
    await this.#screen.sync();
  }

  async press(keys: readonly string[]): Promise<void> {
    await this.hold(keys, async () => undefined);
  }

  async hold(keys: readonly string[], work: () => Promise<void>): Promise<void> {
    try {
      await this.down(keys);
      await work();
    } finally {
      await this.up(keys.toReversed());
    }
  }

  down(keys: readonly string[]): Promise<void> {
    return this.#send(keys, true);
  }

  up(keys: readonly string[]): Promise<void> {
    return this.#send(keys, false);
  }

  async #send(keys: readonly string[], down: boolean): Promise<void> {
    for (const keysym of keysymsOfKeys(keys)) this.#client.key(keysym, down);
    await this.#screen.sync();
  }
}
