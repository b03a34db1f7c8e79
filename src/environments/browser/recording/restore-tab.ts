import type { Browser, BrowserContext, CDPSession, Frame, Page, Request, Route } from 'playwright-core';
import type { FactQuery } from '../../../functions/page/fact.ts';
import { plain } from '../../../functions/page/plain.ts';
import { sourceOf } from '../../../functions/page/source-of.ts';
import type { RecordedDocument, RecordedPage } from '../../recorded.ts';
import { type EachSnapshot, rebuildEach } from './in-page/rebuild-each.ts';
import { type FrameToFill, type Rebuilding, rebuildDocument } from './in-page/rebuild-page.ts';
import type { PageNeeds } from './page-needs.ts';

/** What keeps every script of a rebuilt page from running, those in attributes too. */
const NO_SCRIPTS = "script-src 'none'; object-src 'none'";

/** A recorded page whose facts are read beside those of others. */
export interface ReadPage {
  readonly recorded: RecordedPage;
  readonly queries: readonly (FactQuery | null)[];
  /** Texts of the style sheets that scripts have put into the page, by name. */
  readonly adopted: PageNeeds['adopted'];
}

interface OpenTab {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly cdp: CDPSession;
}

/** A tab in which recorded pages are rebuilt, one after the other: no script of them runs, nothing of them reaches the network. */
export class RestoredPageTab {
  readonly #browser: Browser;
  readonly #actionTimeout: number;
  #tab: Promise<OpenTab> | null = null;
  #page: Page | null = null;
  #shown: RecordedPage | null = null;
  /** What the requests of the page are answered with. */
  #needs: PageNeeds | null = null;
  /** The name that the tab's connection has for `rebuildEach` of the document that is there. */
  #each: string | null = null;
  /** The cookies that the page has, as JSON; null: not known. */
  #cookiesThere: string | null = null;

  constructor(browser: Browser, actionTimeout: number) {
    this.#browser = browser;
    this.#actionTimeout = actionTimeout;
  }

  /** The rebuilt page, once there is one. */
  get page(): Page | null {
    return this.#page;
  }

  /** What it was rebuilt from last. */
  get shown(): RecordedPage | null {
    return this.#shown;
  }

  /** Rebuilds a page, with its frames. `fresh`: in a document of its own. */
  async show(recorded: RecordedPage, needs: PageNeeds, fresh: boolean): Promise<void> {
    const { page, context } = await this.#open(recorded);
    this.#needs = needs;
    await this.#cookies(context, recorded, fresh);
    const stays = await this.#go(page, recorded, fresh);
    const kept = stays ? sameSheets(this.#shown, recorded) : [];
    this.#shown = recorded;
    await this.#fill(page.mainFrame(), recorded.document, recorded, needs.adopted, kept);
  }

  /**
   * Rebuilds pages that can stand in the same document, and reads what is asked of each; `needs`: of all. Null for one of
   * which that cannot be told in this way.
   */
  async readEach(
    pages: readonly [ReadPage, ...ReadPage[]],
    needs: PageNeeds,
    fresh: boolean,
  ): Promise<readonly (readonly unknown[] | null)[]> {
    const [{ recorded: first }] = pages;
    const { page, context, cdp } = await this.#open(first);
    this.#needs = needs;
    await this.#cookies(context, first, fresh);
    let last = (await this.#go(page, first, fresh)) ? this.#shown : null;
    const moments = pages.map(({ recorded, queries, adopted }): EachSnapshot => {
      const kept = sameSheets(last, recorded);
      last = recorded;
      const { url, document } = recorded;
      // Ours ask nothing of the page's scripts.
      return { url, queries, json: JSON.stringify(document), sheets: adopted, names: [], kept };
    });
    this.#each ??= await putEach(cdp);
    const { result, exceptionDetails } = await cdp.send('Runtime.callFunctionOn', {
      objectId: this.#each,
      functionDeclaration: 'function (json) { return this(json); }',
      arguments: [{ value: JSON.stringify(moments) }],
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    this.#shown = last;
    return JSON.parse(String(result.value)) as readonly (readonly unknown[] | null)[];
  }

  async close(): Promise<void> {
    const tab = this.#tab;
    this.#tab = null;
    this.#page = null;
    // A tab that never opened, or whose browser has ended, is closed.
    await tab?.then(({ context }) => context.close()).catch(() => undefined);
  }

  /** The one page in which all recordings of the same size are shown, with nothing else beside it. */
  async #open({ viewport }: RecordedPage): Promise<OpenTab> {
    const last = this.#shown?.viewport;
    const { width, height, scroll_bars } = viewport;
    if (this.#page?.isClosed() === true || (last !== undefined && last.scroll_bars !== scroll_bars)) await this.close();
    this.#tab ??= this.#make(viewport);
    const tab = await this.#tab;
    this.#page = tab.page;
    const size = tab.page.viewportSize();
    if (size?.width !== width || size.height !== height) await tab.page.setViewportSize({ width, height });
    for (const other of tab.context.pages()) if (other !== tab.page) await other.close();
    return tab;
  }

  async #make({ width, height, scroll_bars }: RecordedPage['viewport']): Promise<OpenTab> {
    const context = await this.#browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: 1,
      locale: 'en-US',
      serviceWorkers: 'block',
      acceptDownloads: false,
    });
    // A request of a page that was left meanwhile needs no answer.
    await context.route('**/*', (route, request) => this.#answer(route, request).catch(() => undefined));
    const page = await context.newPage();
    // One that went with its page is dismissed.
    page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
    const cdp = await context.newCDPSession(page);
    await cdp.send('Emulation.setScrollbarsHidden', { hidden: !scroll_bars });
    this.#shown = null;
    this.#each = null;
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
    // One that has run out since is there all the same.
    const wanted = cookies.map((cookie) =>
      cookie.expires > 0 && cookie.expires < now ? { ...cookie, expires: -1 } : cookie,
    );
    const json = JSON.stringify(wanted);
    if (fresh) this.#cookiesThere = null;
    this.#cookiesThere ??= JSON.stringify(await context.cookies());
    if (this.#cookiesThere === json) return;
    this.#cookiesThere = null;
    await context.clearCookies();
    if (wanted.length > 0) await context.addCookies(wanted);
    this.#cookiesThere = json;
  }

  /**
   * A document at the recorded address: the same one where it can be, since a new one takes ten times as long. True where it is
   * the same, with what was in it.
   */
  async #go(page: Page, { url, document: { quirks } }: RecordedPage, fresh: boolean): Promise<boolean> {
    const last = this.#shown;
    const near = last !== null && !fresh && last.document.quirks === quirks && sameOrigin(page.url(), url);
    if (near) {
      // The address that Playwright knows may be older than what snapshots that were read together made of it.
      if (last.url !== url || page.url() !== url)
        await page.evaluate((address) => history.replaceState(null, '', address), url);
      return true;
    }
    this.#each = null;
    // An address that differs in its end alone would keep the document.
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
    recorded: RecordedPage,
    sheets: Readonly<Record<string, string>>,
    kept: readonly string[],
  ): Promise<void> {
    const names = frame.parentFrame() === null ? recorded.names : [];
    const rebuilding: Rebuilding = { json: JSON.stringify(document), sheets, names, kept };
    const left = await frame.evaluate<readonly FrameToFill[]>(
      `(${sourceOf(rebuildDocument)})(${JSON.stringify(rebuilding)}, ${plain})`,
    );
    for (const [index, { document: own, remote }] of left.entries()) {
      const inner = own ?? (remote === null ? null : (recorded.frames[remote] ?? null));
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
      await this.#fill(child, inner, recorded, sheets, []);
    }
  }
}

/** In a world of its own, where nothing that stands in the page is taken for what it is named like (`<form name=documentElement>`). */
async function putEach(cdp: CDPSession): Promise<string> {
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

/** Addresses of style sheets that have the same text in two pages. */
function sameSheets(last: RecordedPage | null, page: RecordedPage): readonly string[] {
  const hash = ({ document, styles }: RecordedPage, address: string): string | undefined =>
    styles[document.linked?.[address] ?? ''];
  return Object.keys(page.document.linked ?? {}).filter((address) => {
    const now = hash(page, address);
    return now !== undefined && last !== null && hash(last, address) === now;
  });
}
