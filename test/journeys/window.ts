import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type ConsoleMessage, chromium, type Page } from 'playwright';
import { inject } from 'vitest';
import { findOrInstallBrowser, stopAnimations, workbenchArguments } from '../../scripts/browser.ts';
import { TEST_EXTENSIONS, TEST_SETTINGS } from '../../scripts/test-settings.ts';
import { type RunningServer, startServer } from '../../scripts/vscode-server.ts';
import { installServer } from '../../scripts/vscode-server-install.ts';
import { FailedSteps } from './failed-steps.ts';

const quiet = (): void => {};

export interface WindowOptions {
  /** The folder is not trusted until the person says so. */
  readonly restricted?: boolean;
  /** Variables of the environment in which VS Code runs. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The windows of this process that a journey has. */
export const openWindows = new Set<Window>();

/** The failed steps of these windows. */
export const failedSteps = new FailedSteps<Window>();

/** How many of the last errors in a window's console are kept, and how many characters of each. */
const ERRORS = 20;
const ERROR_LENGTH = 500;

/** A VS Code server with the packaged extension, and a page of a browser for its window. */
export class Window {
  readonly page: Page;
  /** Where the server keeps what it has, the installed extension among it. */
  readonly dataFolder: string;
  /** The last errors in the console of the page and of its webviews, the oldest first. */
  readonly errors: string[] = [];
  readonly #browser: Browser;
  readonly #server: RunningServer;

  private constructor(page: Page, dataFolder: string, browser: Browser, server: RunningServer) {
    this.page = page;
    this.dataFolder = dataFolder;
    this.#browser = browser;
    this.#server = server;
    page.on('console', (message) => this.#keepError(message));
    page.on('pageerror', (error) => this.#keep(String(error.stack ?? error)));
    openWindows.add(this);
  }

  #keepError(message: ConsoleMessage): void {
    if (message.type() === 'error') this.#keep(`${message.text()} (${message.location().url})`);
  }

  #keep(error: string): void {
    this.errors.push(error.slice(0, ERROR_LENGTH));
    if (this.errors.length > ERRORS) this.errors.shift();
  }

  static async start({ restricted = false, env = {} }: WindowOptions = {}): Promise<Window> {
    const found = await findOrInstallBrowser(quiet);
    const dataFolder = await mkdtemp(join(inject('journeysFolder'), 'vscode-'));
    await cp(inject('extensionsFolder'), join(dataFolder, 'extensions'), { recursive: true });
    const server = await startServer(await installServer(quiet), {
      dataFolder,
      workspaceTrust: restricted,
      builtIn: TEST_EXTENSIONS,
      env: { TASKWRIGHT_BROWSER: found.path, ...env },
    });
    const browser = await chromium.launch({ executablePath: found.path, args: workbenchArguments() });
    const page = await browser.newPage({ reducedMotion: 'reduce' });
    await stopAnimations(page);
    page.setDefaultTimeout(120_000);
    return new Window(page, dataFolder, browser, server);
  }

  /** Opens a folder (`folder`) or a workspace file (`workspace`). */
  async open(query: { readonly folder: string } | { readonly workspace: string }): Promise<void> {
    await this.page.goto(this.#server.address(query));
  }

  /** Writes the user settings beside those of all tests; the next folder that is opened has them. */
  async configure(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const file = join(this.dataFolder, 'data', 'User', 'settings.json');
    await writeFile(file, `${JSON.stringify({ ...TEST_SETTINGS, ...settings }, null, 2)}\n`);
  }

  /** Leaves the workbench and forgets what VS Code keeps in the browser, so that the next folder opens in a new window. */
  async clear(): Promise<void> {
    const { page } = this;
    const context = page.context();
    this.#leave();
    await page.evaluate(() => sessionStorage.clear());
    const { origin } = new URL(page.url());
    await page.goto('about:blank');
    for (const other of context.pages()) if (other !== page) await other.close();
    await context.clearPermissions();
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'cookies,indexeddb,local_storage' });
    await session.detach();
    this.errors.length = 0;
  }

  /** No journey has it any more. */
  #leave(): void {
    openWindows.delete(this);
    failedSteps.forget(this);
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#browser.close();
    await this.#server.stop();
    await rm(this.dataFolder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The cleared window of this worker that the next journey takes: a browser that has loaded VS Code once loads it faster. */
let idle: Window | undefined;

/** A window as `start` gives it, with nothing special: the one of the journey before, where there is one. */
export async function takeWindow(): Promise<Window> {
  const window = idle ?? (await Window.start());
  idle = undefined;
  openWindows.add(window);
  return window;
}

/** Keeps a window for the next journey of this worker, or stops it where one is kept or it cannot be cleared. */
export async function giveBack(window: Window): Promise<void> {
  if (idle !== undefined) return window.stop();
  try {
    await window.clear();
    idle = window;
  } catch {
    await window.stop();
  }
}
