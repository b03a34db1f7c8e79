import { setTimeout as pause } from 'node:timers/promises';
import { patient } from '../../base/patience.ts';
import type { Launched } from '../workspace/launcher.ts';
import type { Connection } from './connection.ts';

/** The time limit for the start of the window manager in ms. */
const START_LIMIT = patient(10_000);
/** The delay before a restart in ms, which doubles each time. */
const AGAIN = { first: 50, most: 5000 };

/**
 * Keeps the window manager of a desktop running. It runs as the agent's user, so the agent can end it by accident or on
 * purpose. Then it is restarted with the existing windows.
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

  /** Resolves when it manages windows. Rejects if it does not start. */
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

  /** Restarts it, with a notification, whenever it ends while the X server runs. */
  async keepRunning(connection: Connection, restarted: () => void): Promise<void> {
    for (let wait = AGAIN.first; ; wait = Math.min(2 * wait, AGAIN.most)) {
      // However it ended, it is started again.
      await this.#current.ended.catch(() => undefined);
      await pause(wait, undefined, { ref: false });
      // It also ends when the X server ends.
      const served = await connection.sync().then(
        () => true,
        () => false,
      );
      if (this.#closing || !served) return;
      this.#current = this.#launch();
      restarted();
    }
  }

  /** Stops restarting it. */
  close(): void {
    this.#closing = true;
  }
}
