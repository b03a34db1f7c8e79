import type { CDPSession, Page } from 'playwright-core';
import { type ActionError, notLoaded } from '../acting/failures.ts';
import type { Limits } from '../limits.ts';
import { ElementNumbers } from '../observing/bids.ts';
import { allowed } from './addresses.ts';

/** Kinds of requests that a page waits for before it shows what an action did. */
const AWAITED = new Set(['Document', 'Stylesheet', 'Script', 'Image', 'Font', 'XHR', 'Fetch']);

/** Nobody asks for what requests were answered. */
const UNBUFFERED = { maxTotalBufferSize: 0, maxResourceBufferSize: 0 };

/** Lets the page's own tasks run, and tells whether they left the document and its fields as they were. */
const TURN = `(${turn})()`;

function turn(): Promise<boolean> {
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
  /** Settles when the mouse is where it is in a new tab, after `goHome`. */
  home: Promise<void> = Promise.resolve();
  /** Keys that are held down. */
  readonly held = new Set<string>();
  #loading: 'no' | 'asked' | 'started' = 'no';
  /** How many documents this tab has begun to show. */
  documents = 0;
  /** The address of a window that was asked for and has not appeared as a tab yet. */
  popup: string | null = null;
  #navigation: { readonly url: string; readonly documents: number } | null = null;
  #world: Promise<number> | null = null;
  readonly #requests = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  private constructor(page: Page, cdp: CDPSession, frameId: string) {
    this.page = page;
    this.cdp = cdp;
    this.frameId = frameId;
  }

  /** The browser must have been started without `--hide-scrollbars` for `scrollBars` to be seen. */
  static async open(page: Page, scrollBars: boolean): Promise<Tab> {
    const cdp = await page.context().newCDPSession(page);
    const [, , , { frameTree }] = await Promise.all([
      cdp.send('Page.enable'),
      cdp.send('Log.enable'),
      cdp.send('Network.enable', UNBUFFERED),
      cdp.send('Page.getFrameTree'),
      cdp.send('Emulation.setScrollbarsHidden', { hidden: !scrollBars }),
    ]);
    const tab = new Tab(page, cdp, frameTree.frame.id);
    tab.#listen();
    return tab;
  }

  /** The world of ours in the document that is there. Begun as soon as a document comes: who wants it does not wait. */
  get world(): Promise<number> {
    this.#world ??= this.#newWorld();
    return this.#world;
  }

  #newWorld(): Promise<number> {
    const world = worldIn(this.cdp, this.frameId);
    // Whoever waits for it is told.
    world.catch(() => undefined);
    return world;
  }

  /** The next who asks for our world gets it from the browser. */
  forgetWorld(): void {
    this.#world = null;
  }

  /** Takes the mouse back to where it is in a new tab. The page receives it with its next frame, which `home` waits for. */
  goHome(): void {
    this.mouse = { x: 0, y: 0 };
    this.home = this.page.mouse.move(0, 0);
    // Whoever waits for it is told.
    this.home.catch(() => undefined);
  }

  popupCame(): void {
    this.popup = null;
    this.#tell();
  }

  /** Forgets what was pending, before an action; what begins from now on is waited for. */
  begin(): void {
    this.refused = null;
    this.popup = null;
    if (this.#loading === 'asked') this.#loading = 'no';
    this.#requests.clear();
  }

  /**
   * Waits until a navigation that began has its document, and shortly for what the page fetches.
   * Costs one round trip where nothing began. Resolves to true where, beside that, the document did not change any more
   * since this was called.
   *
   * @throws ActionError `page_not_loaded` where a document does not come in time
   */
  async settle(limits: Limits): Promise<boolean> {
    const unchanged = await this.#turn();
    const quiet = unchanged && this.#loading === 'no' && this.popup === null && this.#requests.size === 0;
    if (this.#loading === 'asked') await this.#until(() => this.#loading !== 'asked', 250);
    if (this.#loading === 'asked') this.#loading = 'no';
    if (this.popup !== null) await this.#until(() => this.popup === null, 1000);
    if (this.#loading === 'started') await this.#until(() => this.#loading !== 'started', limits.navigation);
    if (this.#loading === 'started') throw await this.#giveUp(limits);
    if (this.#requests.size > 0) {
      await this.#until(() => this.#requests.size === 0 && this.#loading === 'no', limits.quiet);
      await this.#turn();
    }
    return quiet;
  }

  /**
   * Ends a navigation that does not come to a document. While an address does not answer, nothing can be asked of
   * the page that is still shown, so it is given up; a document that is there but not whole is left to go on.
   */
  async #giveUp(limits: Limits): Promise<ActionError> {
    const url = this.#navigation?.url ?? this.page.url();
    const answered = this.#navigation === null || this.documents > this.#navigation.documents;
    this.#loading = 'no';
    if (!answered) await this.stopLoading();
    return notLoaded(url, limits.navigation, answered);
  }

  /** Nothing is known to begin or load that takes the page elsewhere. */
  get isIdle(): boolean {
    return this.#loading === 'no' && this.popup === null;
  }

  /**
   * Calls a function that stands alone in the page's own world. Playwright's `evaluate` puts a script into each document
   * first. The value comes back as JSON.
   */
  async ask<Argument, Result>(run: (argument: Argument) => Result, argument: Argument): Promise<Awaited<Result>> {
    const expression = `(${run})(${JSON.stringify(argument)})`;
    const asked = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.cdp.send('Runtime.evaluate', asked);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Runs what waits by itself for all that it loads, without hearing of each request on the way. */
  async unwatched<Result>(run: () => Promise<Result>): Promise<Result> {
    // Neither is waited for: what is asked after it comes after it, and says what is wrong where something is.
    this.cdp.send('Network.disable').catch(() => undefined);
    try {
      return await run();
    } finally {
      this.cdp.send('Network.enable', UNBUFFERED).catch(() => undefined);
    }
  }

  /** Gives up what is loading; the page that is shown stays. */
  async stopLoading(): Promise<void> {
    // A page that closes meanwhile has nothing to stop.
    await this.cdp.send('Page.stopLoading').catch(() => undefined);
  }

  /**
   * Everything that the page had ready to run has run after this, unless it goes to another document or hangs. Resolves
   * to true where that changed nothing in the document.
   */
  async #turn(): Promise<boolean> {
    let unchanged: boolean | null = null;
    const end = (value: boolean): void => {
      unchanged = value;
      this.#tell();
    };
    this.cdp.send('Runtime.evaluate', { expression: TURN, awaitPromise: true, returnByValue: true }).then(
      ({ result }) => end(result.value === true),
      () => end(false),
    );
    await this.#until(() => unchanged !== null || this.#loading === 'started', 1000);
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
      if (frameId === this.frameId) this.#stop();
    });
    cdp.on('Page.navigatedWithinDocument', ({ frameId }) => {
      if (frameId === this.frameId) this.#stop();
    });
    cdp.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id !== this.frameId) return;
      this.documents += 1;
      this.#world = this.#newWorld();
      if (!allowed(frame.url)) {
        // The browser refuses these itself; should one ever get through, its page is left at once.
        this.refused = frame.url;
        this.page.goto('about:blank').catch(() => undefined);
      }
    });
    cdp.on('Page.windowOpen', ({ url }) => {
      this.popup = url;
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
    for (const check of this.#waiting) check();
  }

  /** Waits for a state; the limit is no error. */
  #until(reached: () => boolean, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        this.page.off('close', end);
        this.page.off('crash', end);
        resolve();
      };
      const check = (): void => {
        if (reached()) end();
      };
      const timer = setTimeout(end, ms);
      this.#waiting.add(check);
      this.page.once('close', end);
      this.page.once('crash', end);
      check();
    });
  }
}

/** A world in a frame of which the page sees nothing, and that sees nothing of the page's scripts: its number. */
export async function worldIn(cdp: CDPSession, frameId: string): Promise<number> {
  const world = await cdp.send('Page.createIsolatedWorld', { frameId, worldName: 'taskwright-recorder' });
  return world.executionContextId;
}
