import { randomBytes } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { NotRecorded } from '../../../functions/not-recorded.ts';
import { callOn, findIn } from '../../../functions/page/page-calls.ts';
import { retryReading } from '../../../functions/page/retry-reading.ts';
import { sourceOf } from '../../../functions/page/source-of.ts';
import type { PastElement, RecordedPage } from '../../recorded.ts';
import { isPlaywrightOnly } from '../acting/elements.ts';
import { type ChainLink, type ChainQuestion, pathOf, withoutStates } from './element-chain.ts';
import { findOnPath, isLike, matchesChain, matchesSelector } from './in-page/element-chain.ts';
import { needsOf } from './page-needs.ts';
import { RestoredPageTab } from './restore-tab.ts';

/**
 * Whether a selector cannot be matched with the element's chain alone: Playwright's selectors and `:has()` need the
 * whole page.
 */
export function needsWholePage(selector: string): boolean {
  return isPlaywrightOnly(selector) || /:has\(/i.test(selector);
}

/** Separate pages in which recorded elements are restored to match selectors. */
export class PastElements {
  readonly #browser: Browser;
  readonly #pageTab: RestoredPageTab;
  #page: Promise<{ context: BrowserContext; page: Page }> | null = null;

  /** `actionTimeout`: the time limit for a frame of a restored page, in milliseconds. */
  constructor(browser: Browser, actionTimeout: number) {
    this.#browser = browser;
    this.#pageTab = new RestoredPageTab(browser, actionTimeout);
  }

  /**
   * Whether a selector matched the element. `resources`: the resources of its page, by hash.
   *
   * @throws NotRecorded if this is not recorded
   */
  async matches(
    element: PastElement,
    selector: string,
    resources: Readonly<Record<string, Uint8Array>>,
  ): Promise<boolean> {
    const { chain, page, matched } = element;
    if (matched?.includes(selector)) return true;
    if (!needsWholePage(selector) || (matched !== undefined && !isPlaywrightOnly(selector))) {
      return this.#inChain(chain, selector);
    }
    if (page !== undefined) return this.#inPage(chain, page, selector, resources);
    // Older recordings list which selectors of the task matched.
    if (matched !== undefined) return false;
    throw new NotRecorded(
      `it is not known whether an action acted on \`${selector}\`: \`:has()\` and Playwright's own selectors need the page as it was before the action, which was not recorded for this selector. Run the task again, or use a CSS selector without \`:has()\`.`,
    );
  }

  async close(): Promise<void> {
    const open = this.#page;
    this.#page = null;
    await this.#pageTab.close();
    // Earlier callers got the error if it could not be opened.
    await (await open?.catch(() => null))?.context.close();
  }

  async #inChain(chain: readonly ChainLink[], selector: string): Promise<boolean> {
    this.#page ??= this.#open();
    const { page } = await this.#page;
    // A random name, because the page may have set attributes with names that it can guess.
    const attribute = `state-${randomBytes(8).toString('hex')}`;
    const question: ChainQuestion = { chain, selector: withoutStates(selector, attribute), attribute };
    return page.evaluate<boolean>(`(${sourceOf(matchesChain)})(${JSON.stringify(question)})`);
  }

  async #inPage(
    chain: readonly ChainLink[],
    recordedPage: RecordedPage,
    selector: string,
    resources: Readonly<Record<string, Uint8Array>>,
  ): Promise<boolean> {
    await this.#pageTab.show(recordedPage, needsOf(recordedPage, resources), false);
    const [first] = chain;
    for (const frame of this.#pageTab.page?.frames() ?? []) {
      const element = await findIn(frame, findOnPath, pathOf(chain));
      if (element === null || first === undefined || !(await callOn(element, isLike, first))) continue;
      if (!isPlaywrightOnly(selector)) return callOn(element, matchesSelector, selector);
      const all = frame.locator(selector);
      return retryReading(frame.page(), true, () =>
        all.evaluateAll((matching, one) => (matching as Element[]).includes(one as Element), element),
      );
    }
    throw new NotRecorded(
      `it is not known whether an action acted on \`${selector}\`: the element is not on the recorded page, because the page was changing, or the element is in a frame of another site. Use a CSS selector without \`:has()\`.`,
    );
  }

  async #open(): Promise<{ context: BrowserContext; page: Page }> {
    const context = await this.#browser.newContext({ serviceWorkers: 'block', offline: true });
    return { context, page: await context.newPage() };
  }
}
