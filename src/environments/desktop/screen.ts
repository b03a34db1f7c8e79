import { setTimeout as pause } from 'node:timers/promises';
import type { Picture } from '../environment.ts';
import type { Connection } from './connection.ts';
import { PngEncoder } from './png.ts';

/** How long is waited for the first change after an action, in ms. */
const FIRST_CHANGE = 15;
/** No change for so long, in ms, and what an action began is over. */
const QUIET = 10;
/** What goes on longer, in ms, is no longer waited for. */
const MOST_CHANGE = 150;
/** Live pictures are no closer to each other than this, in ms. */
const FRAME_PACE = 33;

/** What a desktop shows, and that it has changed. */
export class Screen {
  readonly #connection: Connection;
  readonly #encoder: PngEncoder;
  readonly #damage: number;
  readonly #stop: () => void;
  readonly #watchers = new Set<() => void>();
  #changed = 0;
  /** How often something has changed. */
  #changes = 0;
  #last: { readonly changes: number; readonly picture: Promise<Picture> } | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#encoder = new PngEncoder(connection.width, connection.height);
    const { x, damage, root } = connection;
    this.#damage = x.AllocID();
    damage.Create(this.#damage, root, damage.ReportLevel.NonEmpty);
    this.#stop = connection.listen((event) => {
      if (event.name !== 'DamageNotify') return;
      this.#changed = performance.now();
      this.#changes += 1;
      damage.Subtract(this.#damage, 0, 0);
      for (const watcher of this.#watchers) watcher();
    });
  }

  /** What is shown now; the picture of before where nothing has changed since. */
  async picture(): Promise<Picture> {
    // What has changed until now is told before the answer.
    await this.#connection.sync();
    const changes = this.#changes;
    if (this.#last?.changes !== changes) {
      const picture = this.#take();
      this.#last = { changes, picture };
      picture.catch(() => {
        this.#last = null;
      });
    }
    return this.#last.picture;
  }

  /** Waits for what was done to show, and for the screen to be still after that. `since`: when it was done. */
  async settle(since: number, first = FIRST_CHANGE, quiet = QUIET, most = MOST_CHANGE): Promise<void> {
    for (;;) {
      await this.#connection.sync();
      const now = performance.now();
      if (now - since > most) return;
      const due = this.#changed > since ? this.#changed + quiet : since + first;
      if (now >= due) return;
      await pause(Math.ceil(due - now));
    }
  }

  /** Gives each changed picture until the returned function is called; what nobody keeps up with is left out. */
  live(frame: (picture: Picture) => void, failed: (error: Error) => void): () => Promise<void> {
    let [stopped, dirty] = [false, true];
    let wake = Promise.withResolvers<void>();
    const watcher = (): void => {
      dirty = true;
      wake.resolve();
    };
    this.#watchers.add(watcher);
    const run = async (): Promise<void> => {
      while (!stopped) {
        if (!dirty) await wake.promise;
        if (stopped) return;
        wake = Promise.withResolvers<void>();
        dirty = false;
        const begun = performance.now();
        const picture = await this.picture();
        if (stopped) return;
        frame(picture);
        await pause(Math.max(0, FRAME_PACE - (performance.now() - begun)));
      }
    };
    const running = run().catch((error: Error) => {
      if (!stopped) failed(error);
    });
    return async () => {
      stopped = true;
      this.#watchers.delete(watcher);
      wake.resolve();
      await running;
    };
  }

  async #take(): Promise<Picture> {
    const { width, height } = this.#connection;
    const data = await this.#encoder.encode(await this.#connection.pixels());
    return { type: 'png', data, width, height };
  }

  close(): void {
    this.#stop();
    this.#watchers.clear();
  }
}
