import { setTimeout as pause } from 'node:timers/promises';
import type { XCursorImage } from 'x11';
import type { Picture } from '../environment.ts';
import { PngEncoder } from '../png.ts';
import type { Connection } from './connection.ts';
import { drawCursor } from './cursor.ts';
import { liveFrames } from './live-frames.ts';

/** How long to wait for the first change after an action, for no further changes, and at most, in ms. */
const CHANGE = { first: 15, quiet: 10, most: 150 };

/** The rows from `top` (inclusive) to `bottom` (exclusive). */
interface Rows {
  readonly top: number;
  readonly bottom: number;
}

/** The screen of a desktop, and its changes. */
export class Screen {
  readonly #connection: Connection;
  readonly #encoder: PngEncoder;
  readonly #damage: number;
  readonly #stop: () => void;
  readonly #watchers = new Set<() => void>();
  #lastChange = 0;
  /** The number of changes. */
  #changes = 0;
  /** The pixels that were read so far, without the mouse pointer. */
  readonly #pixels: Buffer;
  /** The rows that have changed since; null for none. */
  #stale: Rows | null;
  /** Settles when the requested rows are in the pixels. */
  #fetching: Promise<void> = Promise.resolve();
  /** `of`: identifies the state of the screen and the pointer. */
  #last: { readonly of: string; readonly picture: Promise<Picture> } | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
    const { width, height } = connection;
    this.#encoder = new PngEncoder(width, height);
    this.#pixels = Buffer.alloc(width * height * 4);
    this.#stale = { top: 0, bottom: height };
    const { x, damage, fixes, root } = connection;
    fixes.SelectCursorInput(root, fixes.CursorNotifyMask.DisplayCursor);
    this.#damage = x.AllocID();
    damage.Create(this.#damage, root, damage.ReportLevel.BoundingBox);
    this.#stop = connection.listen((event) => {
      if (event.name === 'CursorNotify') this.pointerChanged();
      if (event.name !== 'DamageNotify') return;
      this.#lastChange = performance.now();
      this.#changes += 1;
      const { y, h } = event.area ?? { y: 0, h: height };
      this.#forget({ top: Math.max(0, y), bottom: Math.min(height, y + h) });
      damage.Subtract(this.#damage, 0, 0);
      for (const watcher of this.#watchers) watcher();
    });
  }

  /** Called when the mouse pointer moves or gets another image, which does not change the screen. */
  pointerChanged(): void {
    for (const watcher of this.#watchers) watcher();
  }

  /** Takes a screenshot; the previous one if nothing has changed. */
  async picture(): Promise<Picture> {
    // The response arrives after all changes so far.
    const cursor = await this.#connection.cursor();
    const of = [this.#changes, cursor?.cursorSerial, cursor?.x, cursor?.y].join();
    if (this.#last?.of !== of) {
      const picture = this.#take(cursor);
      this.#last = { of, picture };
      // The caller gets the rejection; the next call takes a new one.
      picture.catch(() => {
        this.#last = null;
      });
    }
    return this.#last.picture;
  }

  /**
   * Waits for the effect of an action, and then until the screen settles. `since`: the time of the action. `from`: when the
   * waiting begins, if that is later.
   */
  async settle(since: number, { first, quiet, most } = CHANGE, from = since): Promise<void> {
    for (;;) {
      await this.#connection.sync();
      const now = performance.now();
      if (now - from > most) return;
      const due = this.#lastChange > since ? this.#lastChange + quiet : from + first;
      if (now >= due) return;
      await pause(Math.ceil(due - now));
    }
  }

  /** Passes each changed frame until the returned function is called. Frames that come too fast are skipped. */
  live(frame: (picture: Picture) => void, onError: (error: Error) => void): () => Promise<void> {
    return liveFrames(this.#watchers, () => this.picture(), frame, onError);
  }

  async #take(cursor: XCursorImage | null): Promise<Picture> {
    const { width, height } = this.#connection;
    // The caller of a failed request got the rejection.
    this.#fetching = this.#fetching.catch(() => undefined).then(() => this.#fetch());
    await this.#fetching;
    const takeAway = cursor === null ? undefined : drawCursor(this.#pixels, width, height, cursor);
    const encoding = this.#encoder.encode(this.#pixels);
    // The encoder has copied the pixels that it needs.
    takeAway?.();
    const data = await encoding;
    return { type: 'png', data, width, height };
  }

  /** Reads the changed rows, because most actions change few of them. */
  async #fetch(): Promise<void> {
    const rows = this.#stale;
    if (rows === null || rows.bottom <= rows.top) return;
    this.#stale = null;
    const { width } = this.#connection;
    try {
      const pixels = await this.#connection.pixels(rows.top, rows.bottom - rows.top);
      pixels.copy(this.#pixels, rows.top * width * 4);
    } catch (error) {
      this.#forget(rows);
      throw error;
    }
  }

  #forget({ top, bottom }: Rows): void {
    const { top: first, bottom: last } = this.#stale ?? { top, bottom };
    this.#stale = { top: Math.min(first, top), bottom: Math.max(last, bottom) };
  }

  close(): void {
    this.#stop();
    this.#watchers.clear();
  }
}
