import type { Browser, BrowserContext, CDPSession, Frame, Page, Request, Route } from 'playwright-core';
import type { FactQuery } from '../../../functions/fact-query.ts';
import { sourceOf } from '../../../functions/page/source-of.ts';
import type { RecordedDocument, RecordedPage } from '../../recorded.ts';
import { CONTEXT_OPTIONS } from '../pages/tab.ts';
import type { FrameToFill } from './in-page/build-nodes.ts';
import { type EachSnapshot, rebuildEach } from './in-page/rebuild-each.ts';
import { type Rebuilding, rebuildDocument } from './in-page/rebuild-page.ts';
import type { PageNeeds } from './page-needs.ts';

/** The policy that prevents scripts in a restored page from running, including those in attributes. */
const NO_SCRIPTS = "script-src 'none'; object-src 'none'";

/** A recorded page in a batch, with the queries to answer. */
export interface ReadPage {
  readonly page: RecordedPage;
  readonly queries: readonly (FactQuery | null)[];
  /** Texts of the style sheets that scripts have added, by name. */
  readonly adoptedSheets: PageNeeds['adoptedSheets'];
}

interface OpenTab {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly cdp: CDPSession;
}

/** A tab in which recorded pages are restored one after the other, without their scripts and without network access. */
export class RestoredPageTab {
  readonly #browser: Browser;
  readonly #actionTimeout: number;
  #tab: Promise<OpenTab> | null = null;
  /** The restored page; null before the first one. */
  page: Page | null = null;
  /** The last restored recording. */
  recordedPage: RecordedPage | null = null;
  /** The responses to requests of the page. */
  #needs: PageNeeds | null = null;
  /** The object id of `rebuildEach` in the current document. */
  #rebuildEachId: string | null = null;
  /** The current cookies as JSON; null if unknown. */
  #cookiesThere: string | null = null;

  constructor(browser: Browser, actionTimeout: number) {
    this.#browser = browser;
    this.#actionTimeout = actionTimeout;
  }

  /** Restores a page with its frames. `fresh`: in a new document. */
  async show(recordedPage: RecordedPage, needs: PageNeeds, fresh: boolean): Promise<void> {
    const { page, context } = await this.#open(recordedPage);
    this.#needs = needs;
    await this.#cookies(context, recordedPage, fresh);
    const stays = await this.#go(page, recordedPage, fresh);
    const reusableSheets = stays ? sameSheets(this.recordedPage, recordedPage) : [];
    this.recordedPage = recordedPage;
    await this.#fill(page.mainFrame(), recordedPage.document, recordedPage, needs.adoptedSheets, reusableSheets);
  }

  /**
   * Restores pages that can share a document, and answers the queries of each. `needs`: of all pages. Null for a page
   * that cannot be read this way.
   */
  async readEach(
    pages: readonly [ReadPage, ...ReadPage[]],
    needs: PageNeeds,
    fresh: boolean,
  ): Promise<readonly (readonly unknown[] | null)[]> {
    const [{ page: first }] = pages;
    const { page, context, cdp } = await this.#open(first);
    this.#needs = needs;
    await this.#cookies(context, first, fresh);
    let last = (await this.#go(page, first, fresh)) ? this.recordedPage : null;
    const moments = pages.map(({ page: recordedPage, queries, adoptedSheets }): EachSnapshot => {
      const reusableSheets = sameSheets(last, recordedPage);
      last = recordedPage;
      const { url, document } = recordedPage;
      // Built-in checks do not read globals of the page's scripts.
      return {
        url,
        queries,
        json: JSON.stringify(document),
        sheets: adoptedSheets,
        names: [],
        reusableSheets,
      };
    });
    this.#rebuildEachId ??= await installRebuildEach(cdp);
    const { result, exceptionDetails } = await cdp.send('Runtime.callFunctionOn', {
      objectId: this.#rebuildEachId,
      functionDeclaration: 'function (json) { return this(json); }',
      arguments: [{ value: JSON.stringify(moments) }],
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    this.recordedPage = last;
    return JSON.parse(String(result.value)) as readonly (readonly unknown[] | null)[];
  }

  async close(): Promise<void> {
    const tab = this.#tab;
    this.#tab = null;
    this.page = null;
    // A tab that failed to open, or whose browser has ended, is already closed.
    await tab?.then(({ context }) => context.close()).catch(() => undefined);
  }

  /** The single page in which all recordings with the same viewport are shown. */
  async #open({ viewport }: RecordedPage): Promise<OpenTab> {
    const last = this.recordedPage?.viewport;
    const { width, height, scroll_bars } = viewport;
    if (this.page?.isClosed() === true || (last !== undefined && last.scroll_bars !== scroll_bars)) await this.close();
    this.#tab ??= this.#createTab(viewport);
    const tab = await this.#tab;
    this.page = tab.page;
    const size = tab.page.viewportSize();
    if (size?.width !== width || size.height !== height) await tab.page.setViewportSize({ width, height });
    for (const other of tab.context.pages()) if (other !== tab.page) await other.close();
    return tab;
  }

  async #createTab({ width, height, scroll_bars }: RecordedPage['viewport']): Promise<OpenTab> {
    const context = await this.#browser.newContext({ ...CONTEXT_OPTIONS, viewport: { width, height } });
    // A request of a page that was left needs no response.
    await context.route('**/*', (route, request) => this.#answer(route, request).catch(() => undefined));
    const page = await context.newPage();
    // A dialog of a closed page is already dismissed.
    page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
    const cdp = await context.newCDPSession(page);
    await cdp.send('Emulation.setScrollbarsHidden', { hidden: !scroll_bars });
    this.recordedPage = null;
    this.#rebuildEachId = null;
    this.#cookiesThere = null;
    return { context, page, cdp };
  }

  async #answer(route: Route, request: Request): Promise<void> {
    const address = request.url();
    const type = request.resourceType();
    if (type === 'document') {
      const doctype = this.#needs?.quirks.has(address.split('#')[0] ?? '') ? '' : '<!doctype html>';
      const headers = { 'content-security-policy': NO_SCRIPTS };
      return route.fulfill({ contentType: 'text/html; charset=utf-8', headers, body: doctype });
    }
    const sheet = type === 'stylesheet' ? this.#needs?.sheets.get(address) : undefined;
    const headers = { 'access-control-allow-origin': '*' };
    if (sheet !== undefined) {
      return route.fulfill({ contentType: 'text/css; charset=utf-8', headers, body: Buffer.from(sheet) });
    }
    const size = this.#needs?.pictures.get(address);
    if (size === undefined) return route.abort();
    const body = `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}"/>`;
    return route.fulfill({ contentType: 'image/svg+xml', headers, body });
  }

  /** `fresh`: a user-defined function may have set others. */
  async #cookies(context: BrowserContext, { cookies }: RecordedPage, fresh: boolean): Promise<void> {
    const now = Date.now() / 1000;
    // A cookie that has expired since is restored too.
    const restorable = cookies.map((cookie) =>
      cookie.expires > 0 && cookie.expires < now ? { ...cookie, expires: -1 } : cookie,
    );
    const json = JSON.stringify(restorable);
    if (fresh) this.#cookiesThere = null;
    this.#cookiesThere ??= JSON.stringify(await context.cookies());
    if (this.#cookiesThere === json) return;
    this.#cookiesThere = null;
    await context.clearCookies();
    if (restorable.length > 0) await context.addCookies(restorable);
    this.#cookiesThere = json;
  }

  /**
   * Navigates to the recorded URL. Reuses the current document if possible, because a new one takes ten times as long.
   * Resolves to true if it is reused with its content.
   */
  async #go(page: Page, { url, document: { quirks } }: RecordedPage, fresh: boolean): Promise<boolean> {
    const last = this.recordedPage;
    const near = last !== null && !fresh && last.document.quirks === quirks && sameOrigin(page.url(), url);
    if (near) {
      // The URL that Playwright knows may be older than that of snapshots that were read together.
      if (last.url !== url || page.url() !== url)
        await page.evaluate((address) => history.replaceState(null, '', address), url);
      return true;
    }
    this.#rebuildEachId = null;
    // A URL that differs only in its fragment would keep the document.
    if (page.url() !== 'about:blank') await page.goto('about:blank');
    if (url.startsWith('about:blank')) {
      await page.evaluate((policy) => {
        const meta = document.createElement('meta');
        meta.httpEquiv = 'Content-Security-Policy';
        meta.content = policy;
        document.head.append(meta);
      }, NO_SCRIPTS);
      if (url !== page.url()) await page.evaluate((address) => location.replace(address), url);
    } else await page.goto(url, { waitUntil: 'commit' }).then(() => page.waitForLoadState('domcontentloaded'));
    return false;
  }

  async #fill(
    frame: Frame,
    document: RecordedDocument,
    recordedPage: RecordedPage,
    sheets: Readonly<Record<string, string>>,
    reusableSheets: readonly string[],
  ): Promise<void> {
    const names = frame.parentFrame() === null ? recordedPage.names : [];
    const rebuilding: Rebuilding = { json: JSON.stringify(document), sheets, names, reusableSheets };
    const left = await frame.evaluate<readonly FrameToFill[]>(
      `(${sourceOf(rebuildDocument)})(${JSON.stringify(rebuilding)})`,
    );
    for (const [index, { document: own, remote }] of left.entries()) {
      const inner = own ?? (remote === null ? null : (recordedPage.frames[remote] ?? null));
      if (inner === null) continue;
      const element = await frame.evaluateHandle(
        (at) => (globalThis as unknown as { taskwrightFrames: Element[] }).taskwrightFrames[at],
        index,
      );
      const child = await element.asElement()?.contentFrame();
      await element.dispose();
      if (!child) continue;
      await child.waitForLoadState('domcontentloaded', { timeout: this.#actionTimeout });
      if (child.url() !== inner.url && /^https?:/.test(inner.url)) await child.goto(inner.url);
      await this.#fill(child, inner, recordedPage, sheets, []);
    }
  }
}

/**
 * Installs `rebuildEach` in an isolated world, where elements of the page cannot shadow properties (`<form
 * name=documentElement>`).
 */
async function installRebuildEach(cdp: CDPSession): Promise<string> {
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const { executionContextId: contextId } = await cdp.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'taskwright-rebuilding',
  });
  const { result } = await cdp.send('Runtime.evaluate', { contextId, expression: sourceOf(rebuildEach) });
  if (result.objectId === undefined) throw new Error('the page cannot be rebuilt: it was left meanwhile');
  return result.objectId;
}

export function sameOrigin(a: string, b: string): boolean {
  return /^https?:/.test(a) && /^https?:/.test(b) && new URL(a).origin === new URL(b).origin;
}

/** The URLs of style sheets that have the same text in two pages. */
function sameSheets(last: RecordedPage | null, page: RecordedPage): readonly string[] {
  const hash = ({ document, styles }: RecordedPage, address: string): string | undefined =>
    styles[document.linked?.[address] ?? ''];
  return Object.keys(page.document.linked ?? {}).filter((address) => {
    const now = hash(page, address);
    return now !== undefined && last !== null && hash(last, address) === now;
  });
}
