import { setTimeout as pause } from 'node:timers/promises';
import { patient } from '../../base/patience.ts';
import type { Launched } from '../workspace/launcher.ts';
import type { Connection } from './connection.ts';

/** The time limit for the start of the window manager in ms. */
const START_LIMIT = patient(10_000);
/** The delay before a restart in ms, which doubles each time. */
const RESTART_DELAY = { first: 50, most: 5000 };

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
  async waitUntilReady(connection: Connection): Promise<void> {
    const deadline = performance.now() + START_LIMIT;
    let failure: Error | null = null;
    const onEnd = (error = new Error('the window manager jwm has ended')): void => {
      failure = error;
    };
    void this.#current.exit.then(() => onEnd(), onEnd);
    for (;;) {
      if (failure !== null) throw failure;
      if ((await connection.numbers(connection.root, '_NET_SUPPORTING_WM_CHECK')).length > 0) return;
      if (performance.now() > deadline)
        throw new Error(`the window manager did not start within ${START_LIMIT / 1000} s`);
      await pause(2);
    }
  }

  /** Restarts it, with a notification, whenever it ends while the X server runs. */
  async keepRunning(connection: Connection, onRestart: () => void): Promise<void> {
    for (let wait = RESTART_DELAY.first; ; wait = Math.min(2 * wait, RESTART_DELAY.most)) {
      // It is restarted even if it could not be started.
      await this.#current.exit.catch(() => undefined);
      await pause(wait, undefined, { ref: false });
      // It also ends when the X server ends.
      const hasServer = await connection.sync().then(
        () => true,
        () => false,
      );
      if (this.#closing || !hasServer) return;
      this.#current = this.#launch();
      onRestart();
    }
  }

  /** Stops restarting it. */
  close(): void {
    this.#closing = true;
  }
}
