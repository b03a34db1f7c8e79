import { setTimeout as pause } from 'node:timers/promises';
import type { Launched } from '../workspace/launcher.ts';
import type { Connection } from './connection.ts';

/** How long the window manager may take to start, in ms. */
const START_LIMIT = 10_000;
/** How long it is waited before it is started again, in ms: twice as long each time. */
const AGAIN = { first: 50, most: 5000 };

/**
 * Keeps the window manager of a desktop running. Its processes are the agent's, who can end it, by accident or on purpose:
 * it is started again then, with the windows that there are.
 */
export class WindowManager {
  readonly #launch: () => Launched;
  #current: Launched;
  #closing = false;

  /** Starts it. */
  constructor(launch: () => Launched) {
    this.#launch = launch;
    this.#current = launch();
  }

  /** Resolves when it manages. Rejects where it does not. */
  async started(connection: Connection): Promise<void> {
    const deadline = performance.now() + START_LIMIT;
    let failure: Error | null = null;
    void this.#current.ended.then(
      () => {
        failure = new Error('the window manager jwm has ended');
      },
      (error: Error) => {
        failure = error;
      },
    );
    for (;;) {
      if (failure !== null) throw failure;
      if ((await connection.numbers(connection.root, '_NET_SUPPORTING_WM_CHECK')).length > 0) return;
      if (performance.now() > deadline)
        throw new Error(`the window manager did not start within ${START_LIMIT / 1000} s`);
      await pause(2);
    }
  }

  /** Starts it again whenever it ends while the X server is there, and says so each time. */
  async keepRunning(connection: Connection, restarted: () => void): Promise<void> {
    for (let wait = AGAIN.first; ; wait = Math.min(2 * wait, AGAIN.most)) {
      await this.#current.ended.catch(() => undefined);
      await pause(wait, undefined, { ref: false });
      // It ends with the X server, too.
      const served = await connection.sync().then(
        () => true,
        () => false,
      );
      if (this.#closing || !served) return;
      this.#current = this.#launch();
      restarted();
    }
  }

  /** Lets it end. */
  close(): void {
    this.#closing = true;
  }
}
