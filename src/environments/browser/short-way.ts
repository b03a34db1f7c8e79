import { setImmediate as turn } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';

/** What stands behind a session in Playwright itself. It promises none of this. */
interface Behind {
  _send?(method: string, params?: object): Promise<unknown>;
}
interface Inside {
  readonly _connection?: { toImpl?(object: unknown): Behind | undefined };
}

/**
 * Lets a session ask the browser without the way between Playwright's two halves, which are in one process here: on it each
 * question is checked twice, timed, and notes where it was asked, which is half of what a short one costs. Events come as
 * before, and an answer after the events before it. A Playwright that is built otherwise keeps its own way.
 */
export function shorten(session: CDPSession): CDPSession {
  const behind = (session as unknown as Inside)._connection?.toImpl?.(session);
  if (typeof behind?._send !== 'function') return session;
  const send = async (method: string, params?: object): Promise<unknown> => {
    // Playwright's halves speak to each other in turns of the loop: what was asked before goes before.
    await turn();
    try {
      return await behind._send?.(method, params);
    } catch (error) {
      // Of one that has gone it says nothing.
      if (String((error as Error).message) !== '') throw error;
      throw new Error('Target page, context or browser has been closed', { cause: error });
    } finally {
      await turn();
    }
  };
  return Object.assign(session, { send });
}
