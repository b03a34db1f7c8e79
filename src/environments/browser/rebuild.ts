import type { Browser, BrowserContext, Frame, Page, Request, Route } from 'playwright-core';
import type { ActionRecord, FunctionContext } from '../../functions/declaration.ts';
import { EnvironmentError, type RecordedMoment } from '../environment.ts';
import { type RecordedDocument, type RecordedNode, type RecordedPage, recordedPageSchema } from '../recorded.ts';
import { ASKED, rebuildDocument } from './rebuild-page.ts';
import { Workbench } from './records.ts';

/** What keeps every script of a rebuilt page from running, those in attributes too. */
const NO_SCRIPTS = "script-src 'none'; object-src 'none'";

/** The page of a recording, rebuilt: no script of it runs, nothing of it reaches the network. */
export class RebuiltPages {
  readonly #browser: Browser;
  readonly #workbench: Workbench;
  readonly #actionTimeout: number;
  #tab: Promise<{ context: BrowserContext; page: Page }> | null = null;
  #shown: RecordedPage | null = null;
  /** What the requests of the page are answered with: style sheets by address, sizes of pictures, documents. */
  #sheets: ReadonlyMap<string, Uint8Array> = new Map();
  #pictures: ReadonlyMap<string, readonly [number, number]> = new Map();
  #quirks: ReadonlySet<string> = new Set();
  /** Names of the style sheets that scripts have put into the page. */
  #adopted: ReadonlySet<string> = new Set();
  /** The cookies that the page has, as JSON; null: not known. */
  #cookiesThere: string | null = null;
  #response: string | null = null;
  #actions: readonly ActionRecord[] = [];

  constructor(browser: Browser, actionTimeout: number) {
    this.#browser = browser;
    this.#workbench = new Workbench(browser);
    this.#actionTimeout = actionTimeout;
  }

  /**
   * Makes the page what it was. `fresh`: in a document of its own, where a function of a person's may have left something in
   * the last one. Resolves with what the recording does not hold, in words.
   *
   * @throws EnvironmentError `not_recorded` where there is no page that can be rebuilt
   */
  async show({ page: bytes, resources, actions, response, fresh }: RecordedMoment): Promise<readonly string[]> {
    if (bytes === null) throw new EnvironmentError('not_recorded', 'this step has no recorded page');
    const recorded = read(bytes);
    this.#response = response;
    this.#actions = actions.map(({ input, normalised, error, typed, element }) => ({
      input,
      normalised,
      error,
      typed,
      matches: async (selector) => element !== null && this.#workbench.matches(element, selector),
    }));
    if (!/^https?:|^about:blank/.test(recorded.url)) {
      throw new EnvironmentError('not_recorded', `a page at ${recorded.url} cannot be rebuilt`);
    }
    const { page, context } = await this.#open(recorded);
    this.#expect(recorded, resources);
    await this.#cookies(context, recorded, fresh);
    const stays = await this.#go(page, recorded, fresh);
    const kept = stays ? sameSheets(this.#shown, recorded) : [];
    this.#shown = recorded;
    const sheets: Record<string, string> = {};
    for (const name of this.#adopted) {
      const text = resources[recorded.styles[name] ?? ''];
      if (text !== undefined) sheets[name] = Buffer.from(text).toString('utf8');
    }
    await this.#fill(page.mainFrame(), recorded.document, recorded, sheets, kept);
    return recorded.gaps;
  }

  functionContext(): FunctionContext {
    const { page } = this;
    const shown = this.#shown;
    if (page === null || shown === null) throw new EnvironmentError('environment_failed', 'no page was rebuilt');
    return {
      page,
      response: this.#response,
      actions: this.#actions,
      actionTimeout: this.#actionTimeout,
      open: async () => {
        throw new Error('a recording has no other pages than the one that was open');
      },
      recording: { history: shown.history, lacking: async () => (shown.names.length === 0 ? [] : lacking(page)) },
    };
  }

  /** The rebuilt page, once there is one. */
  page: Page | null = null;

  async close(): Promise<void> {
    const tab = this.#tab;
    this.#tab = null;
    this.page = null;
    await Promise.allSettled([tab?.then(({ context }) => context.close()), this.#workbench.close()]);
  }

  /** The one page in which all recordings of the same size are shown, with nothing else beside it. */
  async #open({ viewport }: RecordedPage): Promise<{ context: BrowserContext; page: Page }> {
    const last = this.#shown?.viewport;
    const { width, height, scroll_bars } = viewport;
    if (this.page?.isClosed() === true || (last !== undefined && last.scroll_bars !== scroll_bars)) await this.close();
    this.#tab ??= this.#make(viewport);
    const tab = await this.#tab;
    this.page = tab.page;
    const size = tab.page.viewportSize();
    if (size?.width !== width || size.height !== height) await tab.page.setViewportSize({ width, height });
    for (const other of tab.context.pages()) if (other !== tab.page) await other.close();
    return tab;
  }

  async #make({ width, height, scroll_bars }: RecordedPage['viewport']) {
    const context = await this.#browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: 1,
      locale: 'en-US',
      serviceWorkers: 'block',
      acceptDownloads: false,
    });
    await context.route('**/*', (route, request) => this.#answer(route, request).catch(() => undefined));
    const page = await context.newPage();
    page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
    const cdp = await context.newCDPSession(page);
    await cdp.send('Emulation.setScrollbarsHidden', { hidden: !scroll_bars });
    this.#shown = null;
    this.#cookiesThere = null;
    return { context, page };
  }

  async #answer(route: Route, request: Request): Promise<void> {
    const address = request.url();
    const type = request.resourceType();
    if (type === 'document') {
      const doctype = this.#quirks.has(address.split('#')[0] ?? '') ? '' : '<!doctype html>';
      const headers = { 'content-security-policy': NO_SCRIPTS };
      return route.fulfill({ contentType: 'text/html; charset=utf-8', headers, body: doctype });
    }
    const sheet = type === 'stylesheet' ? this.#sheets.get(address) : undefined;
    const headers = { 'access-control-allow-origin': '*' };
    if (sheet !== undefined) {
      return route.fulfill({ contentType: 'text/css; charset=utf-8', headers, body: Buffer.from(sheet) });
    }
    const size = this.#pictures.get(address);
    if (size === undefined) return route.abort();
    const body = `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}"/>`;
    return route.fulfill({ contentType: 'image/svg+xml', headers, body });
  }

  /** Gets ready what the page will ask for. */
  #expect(recorded: RecordedPage, resources: RecordedMoment['resources']): void {
    const sheets = new Map<string, Uint8Array>();
    const pictures = new Map<string, readonly [number, number]>();
    const quirks = new Set<string>();
    const adopted = new Set<string>();
    const readNodes = (nodes: readonly RecordedNode[], base: string): void => {
      for (const node of nodes) {
        if (typeof node === 'string' || 'comment' in node) continue;
        const [, attributes, children, more] = node;
        readNodes(children, base);
        if (more?.shadow) readNodes(more.shadow.children, base);
        for (const name of more?.shadow?.sheets ?? []) adopted.add(name);
        if (more?.frame) read(more.frame);
        const source = more?.image && attributes[attributes.indexOf('src') + 1];
        if (more?.image && source !== undefined && URL.canParse(source, base)) {
          pictures.set(new URL(source, base).href, more.image);
        }
      }
    };
    const read = (document: RecordedDocument): void => {
      for (const name of document.sheets ?? []) adopted.add(name);
      if (document.quirks) quirks.add(document.url.split('#')[0] ?? '');
      for (const [address, name] of Object.entries(document.linked ?? {})) {
        const text = resources[recorded.styles[name] ?? ''];
        if (text !== undefined) sheets.set(address, text);
      }
      readNodes(document.children, document.url);
    };
    for (const document of [recorded.document, ...recorded.frames]) if (document) read(document);
    this.#sheets = sheets;
    this.#pictures = pictures;
    this.#quirks = quirks;
    this.#adopted = adopted;
  }

  /** `fresh`: a function of a person's may have set others. */
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
      if (page.url() !== url) await page.evaluate((address) => history.replaceState(null, '', address), url);
      return true;
    }
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
    const left = await frame.evaluate(rebuildDocument, { json: JSON.stringify(document), sheets, names, kept });
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

function read(bytes: Uint8Array): RecordedPage {
  try {
    return recordedPageSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    throw new EnvironmentError(
      'not_recorded',
      'the recorded page cannot be read: it is broken, or of a newer version',
      {
        cause: error,
      },
    );
  }
}

function sameOrigin(a: string, b: string): boolean {
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

/** Names of the page's own scripts that were asked for since this was last asked. */
async function lacking(page: Page): Promise<readonly string[]> {
  try {
    const asked = await page.evaluate(
      (name) => (globalThis as unknown as Record<string, string[] | undefined>)[name]?.splice(0) ?? [],
      ASKED,
    );
    return [...new Set(asked)];
  } catch {
    return []; // The function has left the page.
  }
}
