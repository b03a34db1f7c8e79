import type { Limits } from '../limits.ts';
import { resolveAddress } from '../pages/addresses.ts';
import type { Tab } from '../pages/tab.ts';
import type { ActionContext } from './action-context.ts';
import { ActionError, DOWNLOAD, explainNavigation } from './failures.ts';

export async function goto(url: string, context: ActionContext): Promise<void> {
  const address = await resolveAddress(url, context.files, context.tab.page.url());
  if ('refusal' in address) throw new ActionError(address.code, address.refusal);
  try {
    await openAddress(context.tab, address.url, context.limits);
  } catch (error) {
    // The page stays, and the step reports the download.
    if (!(error instanceof ActionError && error.code === DOWNLOAD)) throw error;
  }
}

/**
 * Opens a URL in a tab. Waits for its document, and for a short time for its resources; stops and reports what does not
 * load.
 */
export async function openAddress(tab: Tab, url: string, limits: Limits): Promise<void> {
  const before = tab.documents;
  try {
    await tab.page.goto(url, { waitUntil: 'domcontentloaded', timeout: limits.navigation });
    await tab.settle(limits);
  } catch (error) {
    const answered = tab.documents > before;
    if (!answered) await tab.stopLoading();
    throw explainNavigation(error, url, limits.navigation, answered);
  }
}

export async function goInHistory(delta: -1 | 1, context: ActionContext): Promise<void> {
  const { tab, limits } = context;
  const { currentIndex, entries } = await tab.cdp.send('Page.getNavigationHistory');
  const entry = entries[currentIndex + delta];
  const way = delta < 0 ? 'back' : 'forward';
  if (!entry) throw new ActionError('no_history', `there is no page to go ${way} to`);
  const options = { waitUntil: 'domcontentloaded', timeout: limits.navigation } as const;
  try {
    await (delta < 0 ? tab.page.goBack(options) : tab.page.goForward(options));
  } catch (error) {
    await tab.stopLoading();
    throw explainNavigation(error, entry.url, limits.navigation, false);
  }
}
