import { type Browser, chromium } from 'playwright-core';
import { registerPageFunctions } from '../pages/callable.ts';

/** Connects to a browser that runs already. Closing the connection leaves it running. `endpoint`: of its DevTools. */
export async function connectToBrowser(endpoint: string, limit: number): Promise<Browser> {
  await registerPageFunctions();
  return chromium.connectOverCDP(endpoint, { timeout: limit });
}
