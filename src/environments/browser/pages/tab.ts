import type { CDPSession, Page } from 'playwright-core';
import { type ActionError, loadTimeoutError } from '../acting/failures.ts';
import type { Limits } from '../limits.ts';
import { ElementNumbers } from '../observing/bids.ts';
import { isAllowed } from './addresses.ts';

/** The size of the viewport in CSS pixels. */
export const VIEWPORT = { width: 1280, height: 720 };

/** Options of the contexts of tasks and of restored pages. */
export const CONTEXT_OPTIONS = {
  deviceScaleFactor: 1,
  locale: 'en-US',
  serviceWorkers: 'block',
  acceptDownloads: false,
} as const;

/** The types of requests that must complete before an action counts as settled. */
const AWAITED = new Set(['Document', 'Stylesheet', 'Script', 'Image', 'Font', 'XHR', 'Fetch']);

/** Response bodies are never read, so they are not buffered. */
const UNBUFFERED = { maxTotalBufferSize: 0, maxResourceBufferSize: 0 };

/** Lets pending tasks of the page run. Returns whether the document and its fields are unchanged. */
const TURN = `(${awaitTurn})()`;

function awaitTurn(): Promise<boolean> {
  const fields = (): unknown[] => {
    const all = document.querySelectorAll<HTMLInputElement>('input, textarea, select');
    return [document.activeElement, ...Array.from(all, (field) => `${field.checked} ${field.value}`)];
  };
  const before = fields();
  const watch = new MutationObserver(() => {
    changed = true;
  });
  let changed = false;
  watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  return new Promise((resolve) => {
    setTimeout(() => {
      changed ||= watch.takeRecords().length > 0;
      watch.disconnect();
      const after = fields();
      resolve(!changed && after.length === before.length && after.every((one, index) => one === before[index]));
    }, 0);
  });
}

/**
 * A tab of the environment: its page, its own CDP session (which reads without changing the page), the numbers of its
 * elements, and its loading state.
 */
export class Tab {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly numbers = new ElementNumbers();
  /** The id of the main frame, which is also the id of the tab's target. */
  readonly frameId: string;
  /** A URL that the browser refused to open. */
  refusedUrl: string | null = null;
  /** Where the mouse is, in CSS pixels of the viewport. */
  mouse: { x: number; y: number } = { x: 0, y: 0 };
  /** Resolves when the mouse is at its initial position, after `goHome`. */
  home: Promise<void> = Promise.resolve();
  /** Pressed keys. */
  readonly heldKeys = new Set<string>();
  #loading: 'no' | 'asked' | 'started' = 'no';
  /** Whether the document is loading, and no action was made on it yet. */
  isOpeningDocument = false;
  /** The number of documents that this tab has started to show. */
  documents = 0;
  /** The URL of a requested window that has not appeared as a tab yet. */
  popup: string | null = null;
  #navigation: { readonly url: string; readonly documents: number } | null = null;
  #world: Promise<number> | null = null;
  readonly #requests = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  /** The size of the last screenshot in CSS pixels. */
  pictureSize: { readonly width: number; readonly height: number } = VIEWPORT;
  /** The number of pixels for each CSS pixel that screenshots have. */
  pictureScale = 1;
  /** Settles when the last screenshot with another scale is taken. */
  scaledPicture: Promise<unknown> = Promise.resolve();
  /** How many live views show the tab. */
  liveViews = 0;
  readonly #borrowed: boolean;

  private constructor(page: Page, cdp: CDPSession, frameId: string, borrowed: boolean) {
    this.page = page;
    this.cdp = cdp;
    this.frameId = frameId;
    this.#borrowed = borrowed;
  }

  /**
   * `scrollBars` requires that the browser was started without `--hide-scrollbars`. `borrowed`: another program has opened the
   * page, decides on its size, and may show any address.
   */
  static async open(page: Page, scrollBars: boolean, borrowed = false): Promise<Tab> {
    const cdp = await page.context().newCDPSession(page);
    const [, , , { frameTree }] = await Promise.all([
      cdp.send('Page.enable'),
      cdp.send('Log.enable'),
      cdp.send('Network.enable', UNBUFFERED),
      cdp.send('Page.getFrameTree'),
      // For `runsScript`, which a page that does not respond can answer only then.
      cdp.send('Performance.enable'),
      borrowed
        ? // A pixel of a screenshot is a CSS pixel. The size of the window stays.
          cdp.send('Emulation.setDeviceMetricsOverride', { width: 0, height: 0, deviceScaleFactor: 1, mobile: false })
        : cdp.send('Emulation.setScrollbarsHidden', { hidden: !scrollBars }),
    ]);
    const tab = new Tab(page, cdp, frameTree.frame.id, borrowed);
    tab.#listen();
    return tab;
  }

  /** The size of the viewport in CSS pixels. */
  get viewport(): { readonly width: number; readonly height: number } {
    return this.page.viewportSize() ?? this.pictureSize;
  }

  /**
   * Our isolated world in the current document. It is created as soon as the document exists, so that callers need not
   * wait.
   */
  get world(): Promise<number> {
    this.#world ??= this.#newWorld();
    return this.#world;
  }

  #newWorld(): Promise<number> {
    const world = worldIn(this.cdp, this.frameId);
    // Callers that await it get the rejection.
    world.catch(() => undefined);
    return world;
  }

  /** Makes the next caller request our isolated world from the browser. */
  forgetWorld(): void {
    this.#world = null;
  }

  /** Moves the mouse to its initial position. The page receives this with its next frame, which `home` waits for. */
  goHome(): void {
    this.mouse = { x: 0, y: 0 };
    this.home = this.page.mouse.move(0, 0);
    // Callers that await it get the rejection.
    this.home.catch(() => undefined);
  }

  /**
   * Makes the browser's view, in the corner of which the page is, as large as a screenshot. The browser would resize it for each
   * screenshot, which takes one more frame. The page does not learn of it. A live view shows the whole view, so it has the size of
   * the page then.
   */
  fitView(): void {
    if (this.pictureScale === 1) return;
    const scale = this.liveViews > 0 ? 1 : this.pictureScale;
    const { width, height } = this.viewport;
    const size = { width: Math.floor(width * scale), height: Math.floor(height * scale) };
    // Screenshots are right with any size.
    this.cdp.send('Emulation.setVisibleSize', size).catch(() => undefined);
  }

  clearPopup(): void {
    this.popup = null;
    this.#notify();
  }

  /** Called before an action: ignores pending requests, so that `settle` waits only for later ones. */
  begin(): void {
    this.refusedUrl = null;
    this.popup = null;
    this.isOpeningDocument = false;
    if (this.#loading === 'asked') this.#loading = 'no';
    this.#requests.clear();
  }

  /**
   * Waits until a started navigation has its document, and for a short time for requests of the page. Takes one round
   * trip if nothing started. Resolves to true if, in addition, the document has not changed since the call.
   *
   * @throws ActionError `page_not_loaded` if a document does not arrive in time
   */
  async settle(limits: Limits): Promise<boolean> {
    const unchanged = await this.#awaitTurn();
    const quiet = unchanged && this.#loading === 'no' && this.popup === null && this.#requests.size === 0;
    if (this.#loading === 'asked') await this.#waitUntil(() => this.#loading !== 'asked', 250);
    if (this.#loading === 'asked') this.#loading = 'no';
    if (this.popup !== null) await this.#waitUntil(() => this.popup === null, 1000);
    if (this.#loading === 'started') await this.#waitUntil(() => this.#loading !== 'started', limits.navigation);
    if (this.#loading === 'started') throw await this.#giveUp(limits);
    if (this.#requests.size > 0) {
      await this.#waitUntil(() => this.#requests.size === 0 && this.#loading === 'no', limits.quiet);
      await this.#awaitTurn();
    }
    return quiet;
  }

  /**
   * Stops a navigation without a document, because the page that is still shown cannot be queried until the server
   * responds. A document that has partly arrived continues to load.
   */
  async #giveUp(limits: Limits): Promise<ActionError> {
    const url = this.#navigation?.url ?? this.page.url();
    const answered = this.#navigation === null || this.documents > this.#navigation.documents;
    this.#loading = 'no';
    if (!answered) await this.stopLoading();
    return loadTimeoutError(url, limits.navigation, answered);
  }

  /** Whether no navigation is known to be pending. */
  get isIdle(): boolean {
    return this.#loading === 'no' && this.popup === null;
  }

  /**
   * Calls a self-contained function in the page's main world. The result is JSON. Unlike Playwright's `evaluate`, this
   * does not inject a script into the document.
   */
  async call<Argument, Result>(run: (argument: Argument) => Result, argument: Argument): Promise<Awaited<Result>> {
    const expression = `(${run})(${JSON.stringify(argument)})`;
    const request = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.cdp.send('Runtime.evaluate', request);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Runs a function that waits for its own requests, without network events. */
  async runUnwatched<Result>(run: () => Promise<Result>): Promise<Result> {
    // Not awaited: later requests are executed later, and report errors.
    this.cdp.send('Network.disable').catch(() => undefined);
    try {
      return await run();
    } finally {
      // As above.
      this.cdp.send('Network.enable', UNBUFFERED).catch(() => undefined);
    }
  }

  /** Stops loading. The current page stays. */
  async stopLoading(): Promise<void> {
    // Fails if the page closes meanwhile.
    await this.cdp.send('Page.stopLoading').catch(() => undefined);
  }

  /**
   * Waits until all tasks that the page had queued have run, unless it navigates or hangs. Resolves to true if they did
   * not change the document.
   */
  async #awaitTurn(): Promise<boolean> {
    let unchanged: boolean | null = null;
    const end = (value: boolean): void => {
      unchanged = value;
      this.#notify();
    };
    this.cdp.send('Runtime.evaluate', { expression: TURN, awaitPromise: true, returnByValue: true }).then(
      ({ result }) => end(result.value === true),
      () => end(false),
    );
    await this.#waitUntil(() => unchanged !== null || this.#loading === 'started', 1000);
    return unchanged === true;
  }

  #listen(): void {
    const { cdp } = this;
    cdp.on('Page.frameRequestedNavigation', ({ frameId, disposition }) => {
      if (frameId === this.frameId && disposition === 'currentTab' && this.#loading === 'no') this.#loading = 'asked';
    });
    cdp.on('Page.frameStartedNavigating', ({ frameId, navigationType, url }) => {
      if (frameId !== this.frameId || /sameDocument/i.test(navigationType)) return;
      this.#navigation = { url, documents: this.documents };
      this.#start();
    });
    cdp.on('Page.frameStartedLoading', ({ frameId }) => {
      if (frameId === this.frameId) this.#start();
    });
    cdp.on('Page.domContentEventFired', () => this.#stop());
    cdp.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId !== this.frameId) return;
      this.isOpeningDocument = false;
      this.#stop();
    });
    cdp.on('Page.navigatedWithinDocument', ({ frameId }) => {
      if (frameId === this.frameId) this.#stop();
    });
    cdp.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id !== this.frameId) return;
      this.documents += 1;
      this.isOpeningDocument = true;
      this.#world = this.#newWorld();
      if (!this.#borrowed && !isAllowed(frame.url)) {
        // The browser refuses these itself. If one gets through, its page is left immediately.
        this.refusedUrl = frame.url;
        this.page.goto('about:blank').catch(() => undefined);
      }
    });
    cdp.on('Page.windowOpen', ({ url }) => {
      this.popup = url;
    });
    cdp.on('Log.entryAdded', ({ entry }) => {
      if (entry.source === 'security' && /^Not allowed to (load|navigate)/.test(entry.text))
        this.refusedUrl = entry.text;
    });
    cdp.on('Network.requestWillBeSent', ({ requestId, type }) => {
      if (type !== undefined && AWAITED.has(type)) this.#requests.set(requestId, Date.now());
    });
    cdp.on('Network.loadingFinished', ({ requestId }) => this.#endRequest(requestId));
    cdp.on('Network.loadingFailed', ({ requestId }) => this.#endRequest(requestId));
    // Streams never finish, so their first bytes count as the response.
    cdp.on('Network.responseReceived', ({ requestId, response }) => {
      if (response.mimeType === 'text/event-stream') this.#endRequest(requestId);
    });
  }

  #start(): void {
    if (this.#loading === 'started') return;
    this.#loading = 'started';
    this.#requests.clear();
    this.#notify();
  }

  #stop(): void {
    this.#loading = 'no';
    this.#notify();
  }

  #endRequest(requestId: string): void {
    if (this.#requests.delete(requestId)) this.#notify();
  }

  #notify(): void {
    for (const check of this.#waiting) check();
  }

  /** Waits for a state. Reaching the limit is not an error. */
  #waitUntil(isReached: () => boolean, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        this.page.off('close', end);
        this.page.off('crash', end);
        resolve();
      };
      const check = (): void => {
        if (isReached()) end();
      };
      const timer = setTimeout(end, ms);
      this.#waiting.add(check);
      this.page.once('close', end);
      this.page.once('crash', end);
      check();
    });
  }
}

/** Creates an isolated world in a frame and returns its execution context id. */
export async function worldIn(cdp: CDPSession, frameId: string): Promise<number> {
  const world = await cdp.send('Page.createIsolatedWorld', { frameId, worldName: 'taskwright-recorder' });
  return world.executionContextId;
}
