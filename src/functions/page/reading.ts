import type { Page } from 'playwright-core';
import { AgentFault } from '../agent-fault.ts';

/** How often a page is read that goes elsewhere meanwhile. */
const TRIES = 10;

/**
 * Reads a page that its agent may have made or gone to. One that goes elsewhere meanwhile is read again.
 *
 * @param acted whether the agent has done anything: before, the page is the task's
 * @throws AgentFault where the page keeps going elsewhere, or what it holds lets no one read it
 */
export async function reading<T>(page: Page, acted: boolean, read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (isNavigation(message) && !page.isClosed()) {
        if (tries < TRIES) {
          // A page that never comes so far is read as it is.
          await page.waitForLoadState('domcontentloaded', { timeout: 1000 }).catch(() => undefined);
          continue;
        }
        if (acted) throw new AgentFault('the page went elsewhere each time that it was read', { cause: error });
      }
      const thrown = acted ? /\b(?:TypeError|RangeError): [^\n]*/.exec(message)?.[0] : undefined;
      if (thrown !== undefined) {
        throw new AgentFault(`the page holds something by which it cannot be read (${thrown})`, { cause: error });
      }
      throw error;
    }
  }
}

function isNavigation(message: string): boolean {
  return /context was destroyed|Cannot find (?:context|execution context)|frame (?:was|got) detached|because of a navigation|Unable to (?:adopt|capture)|No frame (?:for|with) given id|Inspected target navigated/i.test(
    message,
  );
}
