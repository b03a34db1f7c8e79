import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { NormalAction } from '../../../src/actions/normal.ts';
import type { Json } from '../../../src/base/json.ts';
import { locateBrowser } from '../../../src/environments/browser/launch/locate.ts';
import { registerPageFunctions } from '../../../src/environments/browser/pages/callable.ts';
import type { ActionRecord, CallResult, FunctionContext } from '../../../src/functions/declaration.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';

/** A page of a real browser with addresses of its own, and functions to call on it. */
export interface Stage {
  page: Page;
  /** What the addresses under `http://shop.test/` and others answer. */
  pages: Map<string, string>;
  show(html: string): Promise<void>;
  setup(name: string, ...args: Json[]): Promise<CallResult>;
  evaluate(name: string, ...args: Json[]): Promise<CallResult>;
  context(more?: Partial<FunctionContext>): FunctionContext;
}

/** Starts one browser for the file. Each test gets an empty page, in a new context only if the one before cannot be emptied. */
export function stage(): Stage {
  let browser: Browser;
  const self = { pages: new Map() } as Stage;
  const open = async (): Promise<void> => {
    const context = await browser.newContext({ viewport: { width: 800, height: 600 } });
    self.pages.clear();
    await context.route('**/*', (route) => {
      const html = self.pages.get(route.request().url());
      return html === undefined
        ? route.fulfill({ status: 404, body: 'nothing here' })
        : route.fulfill({ contentType: 'text/html; charset=utf-8', body: html });
    });
    self.page = await context.newPage();
  };
  beforeAll(async () => {
    const located = await locateBrowser();
    if (!('found' in located)) throw new Error(`no browser: ${located.tried.join(', ')}`);
    const args = ['--disable-gpu', '--disable-quic', '--no-first-run', '--site-per-process'];
    await registerPageFunctions();
    browser = await chromium.launch({
      executablePath: located.found.path,
      chromiumSandbox: process.getuid?.() !== 0,
      args,
    });
    await open();
  });
  afterEach(async () => {
    const { page } = self;
    const context = page.context();
    if (page.isClosed() || context.pages().length > 1) {
      await context.close();
      return open();
    }
    self.pages.clear();
    await page.goto('about:blank');
    await context.clearCookies();
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin: 'http://shop.test', storageTypes: 'all' });
    await session.detach();
  });
  afterAll(() => browser.close());

  self.show = async (html) => {
    self.pages.set('http://shop.test/', html);
    await self.page.goto('http://shop.test/');
  };
  self.context = (more = {}) => ({
    page: self.page,
    response: null,
    actions: [],
    async open(target) {
      if ('url' in target) await self.page.goto(target.url);
      else await self.show(target.html);
    },
    actionTimeout: 1_000,
    ...more,
  });
  self.setup = (name, ...args) => runCall({ function: name, args }, 'setup', self.context(), NO_USER_FUNCTIONS);
  self.evaluate = (name, ...args) => runCall({ function: name, args }, 'evaluate', self.context(), NO_USER_FUNCTIONS);
  return self;
}

/** An action as the environment records it. */
export function record(normalised: NormalAction, more: Partial<ActionRecord> = {}): ActionRecord {
  return { input: '', normalised, error: null, matches: async () => false, typed: null, ...more };
}
