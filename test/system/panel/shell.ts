import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page, type Route } from 'playwright-core';
import { expect } from 'vitest';
import { workbenchArguments } from '../../../scripts/browser.ts';
import { panelHtml } from '../../../src/editor/panel/html.ts';
import type { JobHostMessage } from '../../../src/presentation/jobs/messages.ts';
import type { RescoreHostMessage } from '../../../src/presentation/rescoring/messages.ts';
import type { HostMessage, PanelMessage } from '../../../src/presentation/runs/messages.ts';
import { dist } from '../programs.ts';
import { origin, textAfter, textBefore } from './runs.ts';
import { type ThemeName, themeSheet, themes } from './themes.ts';

/** Read once: a build that goes on beside the tests takes nothing away from them. */
const built = Promise.all(
  ['panel', 'job', 'rescore'].map(async (name) => ({
    css: await readFile(join(dist, `${name}.css`)),
    script: await readFile(join(dist, `${name}.js`)),
  })),
);
/** What the panel loads when it shows a form. */
const formScript = readFile(join(dist, 'form.js'));
const candidates = [
  process.env['TASKWRIGHT_BROWSER'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
];

export async function openBrowser(): Promise<Browser> {
  const program = candidates.find((path) => path !== undefined && existsSync(path));
  return chromium.launch({
    ...(program === undefined ? {} : { executablePath: program }),
    args: workbenchArguments(),
  });
}

export interface ShellOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  /** What the page kept before a reload. */
  readonly state?: unknown;
  readonly forcedColors?: boolean;
  /** Which page is shown. */
  readonly show?: 'panel' | 'job' | 'rescore';
}

/** A page of a browser that shows one shell after the other, because a new page takes longer than most tests. */
interface SharedPage {
  readonly page: Page;
  /** The shell that it shows; null while it shows none. */
  shell: Shell | null;
  /** Of the shell that it shows. */
  answer(route: Route): Promise<void>;
  /** Removes what runs before the scripts of the shell. */
  forget(): Promise<void>;
}

const sharedPages = new WeakMap<Browser, SharedPage>();

/** The page of a browser. A new one if a test has left a shell open in it, as a failed one does. */
async function sharedPage(browser: Browser): Promise<SharedPage> {
  const kept = sharedPages.get(browser);
  if (kept?.shell === null && !kept.page.isClosed()) return kept;
  await kept?.page.close();
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  const shared: SharedPage = { page, shell: null, answer: (route) => route.abort(), forget: async () => {} };
  sharedPages.set(browser, shared);
  const report = (problem: string): void => shared.shell?.report(problem);
  page.on('pageerror', (error) => report(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') report(message.text());
  });
  await page.route(`${origin}/**`, (route) => shared.answer(route));
  return shared;
}

/** Everything that a shell could find of the one before it. */
const leftOver = (page: Page): Promise<readonly unknown[]> =>
  page.evaluate(async () => [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...(await indexedDB.databases()),
    ...document.cookie.split(';').filter((cookie) => cookie !== ''),
    ...(window.name === '' ? [] : [window.name]),
    ...Array.from(document.querySelectorAll('body :hover'), ({ localName }) => `${localName}:hover`),
  ]);

/** The panel in a page with VS Code's side played: content policy, theme, messages, kept state. */
export class Shell {
  readonly page: Page;
  readonly #shared: SharedPage;
  readonly #problems: string[] = [];

  private constructor(shared: SharedPage) {
    this.page = shared.page;
    this.#shared = shared;
  }

  static async open(
    browser: Browser,
    pictures: readonly { png: Buffer; jpeg: Buffer }[],
    { theme = 'dark', width = 760, height = 1000, state, forcedColors = false, show = 'panel' }: ShellOptions = {},
  ): Promise<Shell> {
    const shared = await sharedPage(browser);
    const { page } = shared;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ forcedColors: forcedColors ? 'active' : 'none' });
    const shell = new Shell(shared);
    shared.shell = shell;
    const [panel, job, rescore] = await built;
    const { css = '', script = '' } = { panel, job, rescore }[show] ?? {};
    // The real shell; VS Code adds the theme's variables and the kind of theme to it.
    const html = panelHtml({
      nonce: 'n0nce',
      cspSource: origin,
      script: 'panel.js',
      style: 'panel.css',
      language: 'en',
    })
      .replace('<head>', '<head><link rel="stylesheet" href="theme.css">')
      .replace('<body>', `<body class="${themes[theme].kind}">`);
    shared.answer = async (route) => {
      const path = new URL(route.request().url()).pathname;
      const screen = /^\/screens\/(\d+)\.png$/.exec(path)?.[1];
      if (path === '/') await route.fulfill({ contentType: 'text/html', body: html });
      else if (path === '/theme.css') await route.fulfill({ contentType: 'text/css', body: themeSheet(theme) });
      else if (path === '/panel.css') await route.fulfill({ contentType: 'text/css', body: css });
      else if (path === '/form.js') await route.fulfill({ contentType: 'text/javascript', body: await formScript });
      else if (path === '/panel.js') await route.fulfill({ contentType: 'text/javascript', body: script });
      else if (screen !== undefined && pictures[Number(screen)]) {
        await route.fulfill({ contentType: 'image/png', body: pictures[Number(screen)]?.png ?? '' });
      } else await route.fulfill({ status: 404, body: '' });
    };
    const before = await page.addInitScript((kept) => {
      const said: unknown[] = [];
      const violations: string[] = [];
      let state: unknown = kept;
      document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));
      Object.assign(globalThis, {
        said,
        violations,
        keptState: () => state,
        acquireVsCodeApi: () => ({
          postMessage: (message: unknown) => said.push(structuredClone(message)),
          getState: () => state,
          setState: (next: unknown) => {
            state = structuredClone(next);
          },
        }),
      });
    }, state);
    shared.forget = () => before.dispose();
    await page.goto(`${origin}/`);
    await shell.heard('ready');
    expect(await leftOver(page)).toEqual([]);
    return shell;
  }

  /** Notes an error of its page. */
  report(problem: string): void {
    this.#problems.push(problem);
  }

  /** Sends messages as the extension does, and waits until they are drawn. */
  async send(...messages: readonly (HostMessage | JobHostMessage | RescoreHostMessage)[]): Promise<void> {
    // As JSON: Playwright's own way with large values takes seconds for thousands of steps.
    await this.page.evaluate((json) => {
      for (const data of JSON.parse(json) as unknown[]) window.dispatchEvent(new MessageEvent('message', { data }));
    }, JSON.stringify(messages));
    await this.drawn();
  }

  /** Two frames: what changed is on the screen. */
  async drawn(): Promise<void> {
    await this.page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
    );
  }

  async sendFrame(jpeg: Buffer): Promise<void> {
    await this.page.evaluate((base64) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const data = { type: 'frame', width: 1280, height: 800, data: bytes.buffer };
      window.dispatchEvent(new MessageEvent('message', { data }));
    }, jpeg.toString('base64'));
  }

  /** Answers every question about texts that has come, as the extension would. */
  async answerTexts(): Promise<void> {
    const asked = (await this.messages()).flatMap((message) => (message.type === 'text' ? [message.index] : []));
    await this.send(
      ...asked.map(
        (index): HostMessage => ({
          type: 'text',
          index,
          text: textAfter,
          before: index === 0 ? null : textBefore,
          data: null,
          dataBefore: null,
        }),
      ),
    );
  }

  messages(): Promise<readonly PanelMessage[]> {
    return this.page.evaluate(() => (globalThis as unknown as { said: PanelMessage[] }).said);
  }

  /** Forgets what the page has said so far. */
  async forget(): Promise<void> {
    await this.page.evaluate(() => {
      (globalThis as unknown as { said: PanelMessage[] }).said.length = 0;
    });
  }

  /** Waits until the page has said something of this type. */
  async heard(type: PanelMessage['type']): Promise<void> {
    await this.page.waitForFunction(
      (wanted) => (globalThis as unknown as { said: PanelMessage[] }).said.some((message) => message.type === wanted),
      type,
    );
  }

  kept(): Promise<unknown> {
    return this.page.evaluate(() => (globalThis as unknown as { keptState(): unknown }).keptState());
  }

  /** Errors of the page and violations of its content policy; a good page has none. */
  async problems(): Promise<readonly string[]> {
    const violations = await this.page.evaluate(() => (globalThis as unknown as { violations: string[] }).violations);
    return [...this.#problems, ...violations];
  }

  async close(): Promise<void> {
    // Where it is in a new page, over nothing of the next shell.
    await this.page.mouse.move(0, 0);
    await this.page.goto('about:blank');
    await this.#shared.forget();
    this.#shared.shell = null;
  }
}
