import type { Browser } from 'playwright-core';
import type { Json } from '../base/json.ts';
import { withTimeout } from '../base/timeout.ts';
import type { StartedBrowser } from './browser.ts';
import type { PageQuery } from './browser-thread.ts';
import type { SessionEvent } from './session-protocol.ts';

/** How long after a failed action the end of the browser may be reported, in ms. */
const BROWSER_EXIT_DELAY = 100;

export interface SessionBrowserOptions {
  /** Whether the browser may be able to use its sandbox. */
  readonly sandbox: boolean;
  emit(event: SessionEvent): void;
  /** Called when a browser ends, for whatever reason. */
  onEnded(): void;
}

/** The browser of a session process, started when it is first needed. */
export class SessionBrowser {
  readonly #options: SessionBrowserOptions;
  #browser: Promise<Browser | null> = Promise.resolve(null);
  #sandbox: boolean;
  /** Whether the browser has a thread of its own. */
  #threaded = false;
  #ask: ((query: PageQuery) => Json) | null = null;

  constructor(options: SessionBrowserOptions) {
    this.#options = options;
    this.#sandbox = options.sandbox;
  }

  /** The running browser; a new one if the last has ended or could not start. */
  open(): Promise<Browser> {
    const browser = this.#browser
      // An earlier failure to start was reported; try again.
      .catch(() => null)
      .then((last) => (last?.isConnected() === true ? last : this.#start()));
    this.#browser = browser;
    return browser;
  }

  /** Gives the browser a thread of its own, so that it can be queried while a debugger stops this one. Call it before a task. */
  async useThread(): Promise<void> {
    if (this.#threaded) return;
    this.#threaded = true;
    // One that could not start reported it.
    const browser = await this.#browser.catch(() => null);
    this.#browser = Promise.resolve(null);
    await browser?.close();
  }

  /** Queries a page while a debugger stops this thread. Throws if there is no answer. */
  ask(query: PageQuery): Json {
    if (this.#ask === null) throw new Error('The page cannot be queried while a function is stopped.');
    return this.#ask(query);
  }

  /** Whether the browser has ended. Waits a moment for the report of its end; false if it has never started. */
  async hasEnded(): Promise<boolean> {
    const browser = await this.#browser.catch(() => null);
    if (browser === null) return false;
    const end = new Promise((resolve) => browser.once('disconnected', resolve));
    if (browser.isConnected()) await withTimeout(BROWSER_EXIT_DELAY, end);
    return !browser.isConnected();
  }

  async #start(): Promise<Browser> {
    const { browser, pid, name, sandboxed } = await this.#launch();
    this.#sandbox = sandboxed;
    this.#options.emit({ event: 'browser', pid, name, sandboxed });
    browser.once('disconnected', () => {
      this.#options.emit({ event: 'browser.ended', pid });
      this.#options.onEnded();
    });
    return browser;
  }

  /** Loads Playwright, which sessions without a browser do not need. */
  async #launch(): Promise<StartedBrowser> {
    if (this.#threaded) {
      const { startBrowserThread } = await import('./browser-thread.ts');
      const threadedBrowser = await startBrowserThread(this.#sandbox);
      this.#ask = threadedBrowser.ask;
      return threadedBrowser;
    }
    const { startBrowser } = await import('./browser.ts');
    return await startBrowser(this.#sandbox);
  }
}
