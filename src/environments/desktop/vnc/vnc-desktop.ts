import { setTimeout as pause } from 'node:timers/promises';
import type { MouseButton } from '../../../actions/normal.ts';
import { patient } from '../../../base/patience.ts';
import { withTimeout } from '../../../base/timeout.ts';
import { EnvironmentError, type Picture } from '../../environment.ts';
import { PngEncoder } from '../../png.ts';
import { keysymsOfKeys, keysymsOfText, UnknownKey } from '../keysyms.ts';
import { liveFrames } from '../live-frames.ts';
import { notchesOf, within } from '../pointer.ts';
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
export function createVncDesktop(client: RfbClient): UsedDesktop {
  const end = Promise.withResolvers<never>();
  // The next request reports it.
  end.promise.catch(() => undefined);
  const screen = new VncScreen(client, end.promise);
  client.listen({
    onUpdate: (isChanged) => screen.update(isChanged),
    onEnd: ({ message }) => {
      const text = `The connection to the desktop of the environment was lost: ${message}.`;
      end.reject(new EnvironmentError('environment_lost', text));
    },
  });
  return {
    screen,
    pointer: createPointer(client, screen),
    keyboard: createKeyboard(client, screen),
    size: client,
    messages: [],
    broken: end.promise,
    settle: (since) => screen.settle(since),
    // A VNC server does not report windows.
    windows: async () => null,
    close: async () => client.close(),
  };
}

class VncScreen {
  readonly #client: RfbClient;
  readonly #broken: Promise<never>;
  readonly #watchers = new Set<() => void>();
  /** Called with the next answer of the server. */
  readonly #onAnswer: (() => void)[] = [];
  #encoder: PngEncoder | null = null;
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
      this.#encoder = new PngEncoder(width, height);
    }
    return { type: 'png', data: await this.#encoder.encode(pixels), width, height };
  }
}

function createPointer(client: RfbClient, screen: VncScreen): UsedDesktop['pointer'] {
  /** The bits of the buttons that are held down. */
  let down = 0;
  const send = (buttons = down): void => client.point(pointer.at.x, pointer.at.y, buttons);
  const turnWheel = (pixels: number, back: number, forth: number): void => {
    for (let count = notchesOf(pixels); count > 0; count--) {
      send(down | (pixels < 0 ? back : forth));
      send();
    }
  };
  const pointer: UsedDesktop['pointer'] = {
    at: { x: 0, y: 0 },
    async move({ x, y }) {
      pointer.at = { x: within(x, client.width), y: within(y, client.height) };
      send();
      await screen.sync();
    },
    async press(button) {
      down |= bitOf(button);
      send();
      await screen.sync();
    },
    async release(button) {
      down &= ~bitOf(button);
      send();
      await screen.sync();
    },
    async click(button, delays, closeSignal) {
      for (const delay of [0, ...delays]) {
        if (delay > 0) await pause(delay, undefined, { signal: closeSignal });
        send(down | bitOf(button));
        send();
      }
      await screen.sync();
    },
    async scroll(x, y) {
      turnWheel(y, WHEEL.up, WHEEL.down);
      turnWheel(x, WHEEL.left, WHEEL.right);
      await screen.sync();
    },
  };
  return pointer;
}

function bitOf(button: MouseButton): number {
  if (button === 'forward') throw new UnknownKey('a desktop over VNC has no mouse button “forward”');
  return BUTTONS[button];
}

/** The server finds the key for a character, and presses Shift where it needs it. */
function createKeyboard(client: RfbClient, screen: VncScreen): UsedDesktop['keyboard'] {
  const send = async (keys: readonly string[], down: boolean): Promise<void> => {
    for (const keysym of keysymsOfKeys(keys)) client.key(keysym, down);
    await screen.sync();
  };
  return {
    async type(text) {
      for (const keysym of keysymsOfText(text)) {
        client.key(keysym, true);
        client.key(keysym, false);
      }
      await screen.sync();
    },
    async hold(keys, work) {
      try {
        await send(keys, true);
        await work();
      } finally {
        await send(keys.toReversed(), false);
      }
    },
    down: (keys) => send(keys, true),
    up: (keys) => send(keys, false),
  };
}
