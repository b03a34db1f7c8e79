import type { CDPSession, Page } from 'playwright-core';
import { allowed } from './addresses.ts';
import { ElementNumbers } from './bids.ts';
import { type Limits, within } from './limits.ts';

/** Kinds of requests that a page waits for before it shows what an action did. */
const AWAITED = new Set(['Document', 'Stylesheet', 'Script', 'Image', 'Font', 'XHR', 'Fetch']);

/**
 * One tab of the environment: its page, its own connection to the browser (made for reading, so that nothing is left
 * in the page), the numbers of its elements, and what is known about its loading.
 */
export class Tab {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly numbers = new ElementNumbers();
  /** The main frame's id in the browser; it is the name of the tab's target too. */
  readonly frameId: string;
  /** An address that the browser refused to open, in its own words. */
  refused: string | null = null;
  /** Where the mouse is, in CSS pixels of the viewport. */
  mouse: { x: number; y: number } = { x: 0, y: 0 };
  #loading: 'no' | 'asked' | 'started' = 'no';
  /** How many documents this tab has begun to show. */
  documents = 0;
  #popups = 0;
  readonly #requests = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  private constructor(page: Page, cdp: CDPSession, frameId: string) {
    this.page = page;
    this.cdp = cdp;
    this.frameId = frameId;
  }

  static async open(page: Page): Promise<Tab> {
    const cdp = await page.context().newCDPSession(page);
    const [, , , { frameTree }] = await Promise.all([
      cdp.send('Page.enable'),
      cdp.send('Log.enable'),
      cdp.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
      cdp.send('Page.getFrameTree'),
    ]);
    const tab = new Tab(page, cdp, frameTree.frame.id);
    tab.#listen();
    return tab;
  }

  /** Whether a window was asked for that has not appeared as a tab yet. */
  get expectsPopup(): boolean {
    return this.#popups > 0;
  }

  popupCame(): void {
    this.#popups = 0;
    this.#tell();
  }

  /** Forgets what was pending, before an action; what begins from now on is waited for. */
  begin(): void {
    this.refused = null;
    this.#popups = 0;
    if (this.#loading === 'asked') this.#loading = 'no';
    this.#requests.clear();
  }

  /**
   * Waits like a careful person: until a navigation that began has its document, and shortly for what the page fetches.
   * Costs one round trip where nothing began. Returns whether the page is still loading at the limit.
   */
  async settle(limits: Limits): Promise<{ readonly loading: boolean }> {
    await this.#turn(limits);
    if (this.#loading === 'asked') await this.#until(() => this.#loading !== 'asked', 250);
    if (this.#loading === 'asked') this.#loading = 'no';
    if (this.#popups > 0) await this.#until(() => this.#popups === 0, 1000);
    if (this.#loading === 'started') await this.#until(() => this.#loading !== 'started', limits.settle);
    if (this.#loading === 'started') return { loading: true };
    if (this.#requests.size > 0) {
      await this.#until(() => this.#requests.size === 0 && this.#loading === 'no', limits.quiet);
      await this.#turn(limits);
    }
    return { loading: false };
  }

  /** Everything that the page had ready to run has run after this. */
  async #turn(limits: Limits): Promise<void> {
    try {
      await within(
        Math.min(limits.settle, 2000),
        'the page',
        this.cdp.send('Runtime.evaluate', {
          expression: 'new Promise((done) => setTimeout(done, 0))',
          awaitPromise: true,
        }),
      );
    } catch {
      // The document was replaced, or its script holds it up: both are seen by what comes next.
    }
  }

  #listen(): void {
    const { cdp } = this;
    cdp.on('Page.frameRequestedNavigation', ({ frameId, disposition }) => {
      if (frameId === this.frameId && disposition === 'currentTab' && this.#loading === 'no') this.#loading = 'asked';
    });
    cdp.on('Page.frameStartedNavigating', ({ frameId, navigationType }) => {
      if (frameId === this.frameId && !/sameDocument/i.test(navigationType)) this.#start();
    });
    cdp.on('Page.frameStartedLoading', ({ frameId }) => {
      if (frameId === this.frameId) this.#start();
    });
    cdp.on('Page.domContentEventFired', () => this.#stop());
    cdp.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId === this.frameId) this.#stop();
    });
    cdp.on('Page.navigatedWithinDocument', ({ frameId }) => {
      if (frameId === this.frameId) this.#stop();
    });
    cdp.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id !== this.frameId) return;
      this.documents += 1;
      if (!allowed(frame.url)) {
        // The browser refuses these itself; should one ever get through, its page is left at once.
        this.refused = frame.url;
        this.page.goto('about:blank').catch(() => undefined);
      }
    });
    cdp.on('Page.windowOpen', () => {
      this.#popups += 1;
    });
    cdp.on('Log.entryAdded', ({ entry }) => {
      if (entry.source === 'security' && /^Not allowed to (load|navigate)/.test(entry.text)) this.refused = entry.text;
    });
    cdp.on('Network.requestWillBeSent', ({ requestId, type }) => {
      if (type !== undefined && AWAITED.has(type)) this.#requests.set(requestId, Date.now());
    });
    cdp.on('Network.loadingFinished', ({ requestId }) => this.#answered(requestId));
    cdp.on('Network.loadingFailed', ({ requestId }) => this.#answered(requestId));
    // Streams never finish: their first bytes are their answer.
    cdp.on('Network.responseReceived', ({ requestId, response }) => {
      if (response.mimeType === 'text/event-stream') this.#answered(requestId);
    });
  }

  #start(): void {
    if (this.#loading === 'started') return;
    this.#loading = 'started';
    this.#requests.clear();
    this.#tell();
  }

  #stop(): void {
    this.#loading = 'no';
    this.#tell();
  }

  #answered(requestId: string): void {
    if (this.#requests.delete(requestId)) this.#tell();
  }

  #tell(): void {
    for (const look of this.#waiting) look();
  }

  /** Waits for a state; the limit is no error. */
  #until(reached: () => boolean, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        this.page.off('close', end);
        this.page.off('crash', end);
        resolve();
      };
      const look = (): void => {
        if (reached()) end();
      };
      const timer = setTimeout(end, ms);
      this.#waiting.add(look);
      this.page.once('close', end);
      this.page.once('crash', end);
      look();
    });
  }
}
