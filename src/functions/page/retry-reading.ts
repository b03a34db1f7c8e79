import type { Page } from 'playwright-core';
import { AgentFault } from '../agent-fault.ts';

/** How often a page is read if it navigates meanwhile. */
const TRIES = 10;

/**
 * Reads a page that the agent may control. If the page navigates meanwhile, it is read again.
 *
 * @param hasActed whether the agent has acted: before, failures are not the agent's fault
 * @throws AgentFault if the page keeps navigating, or its content makes reading fail
 */
export async function retryReading<T>(page: Page, hasActed: boolean, read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (isNavigation(message) && !page.isClosed()) {
        if (tries < TRIES) {
          // A page that never gets this far is read as it is.
          await page.waitForLoadState('domcontentloaded', { timeout: 1000 }).catch(() => undefined);
          continue;
        }
        if (hasActed) throw new AgentFault('the page navigated each time it was read', { cause: error });
      }
      const cause = hasActed ? /\b(?:TypeError|RangeError): [^\n]*/.exec(message)?.[0] : undefined;
      if (cause !== undefined) {
        throw new AgentFault(`the page cannot be read because of its content (${cause})`, { cause: error });
      }
      throw error;
    }
  }
}

function isNavigation(message: string): boolean {
  return /context was destroyed|the page was replaced|Cannot find (?:context|execution context)|frame (?:was|got) detached|because of a navigation|Unable to (?:adopt|capture)|No frame (?:for|with) given id|Inspected target navigated/i.test(
    message,
  );
}
