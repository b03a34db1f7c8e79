/// <reference lib="dom" />
import type { BrowserContext, Page } from 'playwright-core';
import { EnvironmentError } from '../../environment.ts';
import { Elements } from '../acting/elements.ts';
import { ActionError } from '../acting/failures.ts';
import { type Limits, within } from '../limits.ts';
import type { Live } from '../live/live-view.ts';
import { TreeReader } from '../observing/tree-reader.ts';
import type { Dialogs } from './dialogs.ts';
import { Tab } from './tab.ts';

/** A tab with its readers. */
export interface OpenTab {
  readonly tab: Tab;
  readonly reader: TreeReader;
  readonly elements: Elements;
}

interface TabsOptions {
  readonly limits: Limits;
  readonly scrollBars: boolean;
  readonly borrowed: boolean;
  readonly dialogs: Dialogs;
  readonly lives: ReadonlySet<Live>;
  /** Called when the active page has crashed. */
  fail(error: EnvironmentError): void;
}

/**
 * The tabs of one context. A new tab becomes the active one. When the active tab closes, the previous one becomes
 * active.
 */
export class Tabs {
  readonly #context: BrowserContext;
  readonly #options: TabsOptions;
  readonly #open = new Map<Page, Promise<OpenTab>>();
  /** Formerly active pages, the latest last. */
  readonly #recent: Page[] = [];
  /** Settles when the last window without a document has closed. */
  #closing: Promise<void> = Promise.resolve();
  /** The active tab as last known. */
  last: OpenTab | null = null;
  /** The site on which the agent starts; null before it acts. */
  #startSite: string | null = null;

  constructor(context: BrowserContext, options: TabsOptions) {
    this.#context = context;
    this.#options = options;
    context.on('download', (download) => {
      const page = download.page();
      if (page?.url() === 'about:blank') this.#closeUnlessUsed(page);
    });
    context.on('page', (page) => {
      if (page.url() === '') {
        this.#discard(page);
        return;
      }
      this.#adopt(page).catch(() => undefined); // A window that closed at once is not a tab.
    });
  }

  /** Called when the agent starts to act: from then on, pages on other sites are the agent's choice. */
  async begin(): Promise<void> {
    this.#startSite ??= siteOf((await this.active()).tab.page.url());
  }

  /** Whether a page is on another site than the one on which the agent started. */
  isVisited(address: string): boolean {
    return this.#startSite !== null && this.#startSite !== siteOf(address);
  }

  /** Called when another task starts. */
  forgetSite(): void {
    this.#startSite = null;
  }

  /** The active page as last known. */
  get page(): Page | undefined {
    const last = this.#recent.findLast((page) => !page.isClosed());
    return last ?? this.last?.tab.page;
  }

  /** The active tab, or a new empty one if all are closed. */
  async active(): Promise<OpenTab> {
    // A page with an open dialog cannot be read, nor may those that it has opened.
    if (this.#options.dialogs.current !== null && this.last !== null) return this.last;
    await Promise.allSettled([...this.#open.values(), this.#closing]);
    for (;;) {
      const page = this.#recent.at(-1);
      if (!page) return this.create();
      // A page that could not be opened, such as a window that closed immediately, does not count.
      const open = page.isClosed() ? null : await this.#open.get(page)?.catch(() => null);
      if (open) {
        if (this.last !== open) await this.#show(open);
        return open;
      }
      this.#forget(page);
    }
  }

  async create(): Promise<OpenTab> {
    const page = await this.#context.newPage();
    const open = await this.#adopt(page);
    await this.#show(open);
    return open;
  }

  /** Takes over the pages that are open already. The one with this id of a target becomes active, else the first. */
  async takeOver(target: string | null): Promise<void> {
    // A page that closes meanwhile is not a tab.
    const results = await Promise.allSettled(this.#context.pages().map((page) => this.#adopt(page)));
    const open = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const first = open.find(({ tab }) => tab.frameId === target) ?? open[0];
    if (first === undefined) return;
    this.#recent.splice(this.#recent.indexOf(first.tab.page), 1);
    this.#recent.push(first.tab.page);
  }

  /** Activates the tab with this index (in the order of opening, from 0; -1 is the last). */
  async focus(index: number): Promise<void> {
    const pages = this.#context.pages();
    const page = pages.at(index);
    if (!page) {
      const there = pages.length === 1 ? 'there is only tab 0' : `there are tabs 0 to ${pages.length - 1}`;
      throw new ActionError('tab_missing', `there is no tab ${index}; ${there}`);
    }
    this.#recent.splice(this.#recent.indexOf(page), this.#recent.includes(page) ? 1 : 0);
    this.#recent.push(page);
    await page.bringToFront();
    await this.active();
  }

  async close(): Promise<void> {
    const { tab } = await this.active();
    await tab.page.close();
    // As in BrowserGym, the newest of the remaining tabs becomes active, not the previously active one.
    if (this.#context.pages().length > 0) await this.focus(-1);
    else await this.active();
  }

  #adopt(page: Page): Promise<OpenTab> {
    let opening = this.#open.get(page);
    if (opening) return opening;
    const { limits, scrollBars, borrowed, dialogs, fail } = this.#options;
    opening = Tab.open(page, scrollBars, borrowed).then((tab) => {
      dialogs.add(tab);
      const reader = new TreeReader(tab);
      return { tab, reader, elements: new Elements(tab, reader, limits) };
    });
    this.#open.set(page, opening);
    this.#recent.push(page);
    page.on('close', () => this.#forget(page));
    page.on('crash', () => {
      if (this.page !== page) {
        // It may close itself meanwhile.
        page.close().catch(() => undefined);
        return;
      }
      fail(this.#crashError(page.url()));
    });
    // Waits for new windows resolve when the window can be read.
    const clearPopups = (): Promise<void> => this.#clearPopups();
    opening.then(clearPopups, clearPopups);
    return opening;
  }

  /** Closes a window without a document: its address is a download. Full Chromium closes it itself. */
  #discard(page: Page): void {
    const clearPopups = (): Promise<void> => this.#clearPopups();
    // It may close itself meanwhile.
    this.#closing = page.close().then(clearPopups, clearPopups);
  }

  /** Closes a window in which a script of another page has only started a download. */
  #closeUnlessUsed(page: Page): void {
    const close = async (): Promise<void> => {
      if ((await page.opener()) !== null && (await page.evaluate(isEmpty))) await page.close();
    };
    // A page that does not answer, or closes itself, stays as it is.
    this.#closing = within(this.#options.limits.quiet, 'the window', close()).catch(() => undefined);
  }

  /** Ends the waits for new windows. */
  async #clearPopups(): Promise<void> {
    for (const open of await Promise.allSettled(this.#open.values())) {
      if (open.status === 'fulfilled') open.value.tab.clearPopup();
    }
  }

  #crashError(address: string): EnvironmentError {
    return this.isVisited(address)
      ? new EnvironmentError('visited_page_crashed', `The page that the agent opened crashed: ${address}`)
      : new EnvironmentError('page_crashed', `The page crashed: ${address}. Run the task again.`);
  }

  async #show(open: OpenTab): Promise<void> {
    this.last = open;
    await Promise.all([...this.#options.lives].map((live) => live.follow(open.tab)));
  }

  #forget(page: Page): void {
    this.#open.delete(page);
    const at = this.#recent.indexOf(page);
    if (at >= 0) this.#recent.splice(at, 1);
  }
}

/** Runs in the page. */
function isEmpty(): boolean {
  return document.body === null || document.body.childNodes.length === 0;
}

/** The site of a URL; the URL itself if it has none. */
function siteOf(address: string): string {
  return /^https?:/.test(address) ? new URL(address).origin : address;
}
