import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright';
import { expect, inject } from 'vitest';
import { outFolder, root } from '../../scripts/places.ts';
import { DebugView } from './debug-view.ts';
import { inlineValues, underlined } from './drawn-text.ts';
import { OTHER_THEMES, THEMES, type Theme } from './themes.ts';
import { CLICK_MS, untilGone } from './until-gone.ts';
import { giveBack, takeWindow, Window, type WindowOptions } from './window.ts';
import { reportOf } from './window-report.ts';

export interface WorkbenchOptions extends WindowOptions {
  /** Additional files in the opened folder, by their relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Additional folders of examples. */
  readonly examples?: readonly string[];
  /** Additional user settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly width?: number;
  readonly height?: number;
  /** Starts a server and a browser for this window only, as the other window options do. */
  readonly alone?: boolean;
}

/** How often the list of themes is opened to find a theme. */
const THEME_TRIES = 5;
/** How often something that VS Code should show is tried. */
const SHOW_TRIES = 3;
/** How often a context menu is opened for one entry, and the time limit for an entry to appear in it. */
const MENU_TRIES = 6;
const MENU_MS = 10_000;
/** Time limit for the command palette to open. */
const SHOW_MS = 20_000;
/** Time limit for the effect of a button; each further click adds as much. */
const PRESS_MS = 15_000;
/** Few enough that the tree shows all their tasks without scrolling. */
const EXAMPLES = ['capitals', 'copy-paste', 'login', 'newsletter', 'shop', 'todo'];

/** A window of the real VS Code with the packaged extension installed and a copy of examples open. */
export class Workbench implements AsyncDisposable {
  readonly page: Page;
  /** The opened folder. */
  readonly folder: string;
  readonly debug: DebugView = new DebugView(this);
  readonly #window: Window;
  readonly #base: string;
  readonly #alone: boolean;

  private constructor(window: Window, folder: string, base: string, alone: boolean) {
    this.page = window.page;
    this.folder = folder;
    this.#window = window;
    this.#base = base;
    this.#alone = alone;
  }

  static async open({
    files = {},
    examples = [],
    settings = {},
    width = 1500,
    height = 940,
    alone = false,
    ...special
  }: WorkbenchOptions = {}) {
    const base = await mkdtemp(join(inject('journeysFolder'), 'journey-'));
    const folder = join(base, 'tasks');
    for (const name of ['README.md', ...EXAMPLES, ...examples]) {
      const filter = (path: string): boolean => !/[\\/]\.taskwright/.test(path);
      await cp(join(root, 'examples', name), join(folder, name), { recursive: true, filter });
    }
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const isAlone = alone || Object.keys(special).length > 0;
    const window = isAlone ? await Window.start(special) : await takeWindow();
    const workbench = new Workbench(window, folder, base, isAlone);
    try {
      const colours = { 'workbench.colorTheme': 'Default Dark Modern', 'window.autoDetectColorScheme': false };
      await window.configure({ ...colours, ...settings });
      await window.page.setViewportSize({ width, height });
      await window.open({ folder });
      await window.page.getByRole('treeitem', { name: 'README.md' }).waitFor();
    } catch (error) {
      console.log(`The window that did not open:\n${await reportOf(window.page, window.errors)}`);
      await workbench.screenshot('not-opened').catch(() => {});
      // No journey has this window, so none would stop it.
      await window.stop();
      throw error;
    }
    return workbench;
  }

  /** Changes the color theme through the command palette, unless the window has it. New windows use the dark theme. */
  async setTheme(theme: Theme): Promise<void> {
    const [label, className] = THEMES[theme];
    if (await this.page.locator(`.monaco-workbench.${className}`).isVisible()) return;
    const option = this.page.getByRole('option', { name: new RegExp(`^${label}`) }).first();
    // In a new window the list may be incomplete, and it is not updated while it is open.
    for (let tries = 1; ; tries += 1) {
      await this.command('Preferences: Color Theme');
      await this.page.locator('.quick-input-widget input[type=text]').fill(label);
      try {
        await option.waitFor({ timeout: 10_000 });
        break;
      } catch (error) {
        if (tries === THEME_TRIES) throw error;
        await this.page.keyboard.press('Escape');
      }
    }
    await this.choose(new RegExp(`^${label}`));
    await this.page.locator(`.monaco-workbench.${className}`).waitFor();
  }

  async closeEditors(): Promise<void> {
    await this.command('View: Close All Editors');
    await this.page.locator('.tab').first().waitFor({ state: 'detached' });
  }

  /** Opens a file by its name, as Ctrl+P does. */
  async openFile(path: string): Promise<void> {
    const name = path.split('/').at(-1) ?? path;
    await this.page.keyboard.press('Control+P');
    const input = this.page.locator('.quick-input-widget input[type=text]');
    await input.fill(path);
    // The list shows recently opened files until the search has a result.
    await this.page
      .getByRole('option', { name: new RegExp(escapePattern(name)) })
      .and(this.page.locator('.focused'))
      .waitFor();
    await input.press('Enter');
    await this.page.getByRole('tab', { name: new RegExp(`^${escapePattern(name)}`), selected: true }).waitFor();
    await this.page.locator('.view-line').first().waitFor();
  }

  /** Runs a command by its title in the palette, which misses what is enabled later and closes if the focus moves. */
  async command(title: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input[type=text]');
    const entry = this.page.getByRole('option', { name: new RegExp(escapePattern(title)) }).first();
    for (let tries = 1; ; tries += 1) {
      await this.page.keyboard.press('F1');
      try {
        await input.fill(`>${title}`, { timeout: SHOW_MS });
        await entry.click({ timeout: SHOW_MS });
        return;
      } catch (error) {
        if (tries === SHOW_TRIES) throw error;
        await this.page.keyboard.press('Escape');
      }
    }
  }

  /** Selects an entry of a list. */
  async choose(option: RegExp): Promise<void> {
    const choice = this.page.getByRole('option', { name: option }).first();
    await untilGone(choice, () => choice.click({ timeout: CLICK_MS }));
  }

  /** Clicks a button that its click removes, such as that of a dialog. */
  async dismiss(button: Locator): Promise<void> {
    await untilGone(button, () => button.click({ timeout: CLICK_MS }));
  }

  /** Answers a file dialog, which ignores input while it reads the folder. */
  async answerFile(path: string): Promise<void> {
    const name = this.page.locator('.quick-input-widget input[type=text]');
    // The dialog overwrites input that is typed before its suggestion appears.
    await expect.poll(() => name.inputValue()).not.toBe('');
    await untilGone(name, async () => {
      await name.fill(path);
      await name.press('Enter');
    });
  }

  /** Shows the Tasks view by clicking its icon. A window that is still loading may ignore a click. */
  async showTasks(): Promise<void> {
    const icon = this.page.getByRole('tab', { name: /^Taskwright/ });
    for (let tries = 1; ; tries += 1) {
      // A click on the icon of a visible view hides it.
      if ((await icon.getAttribute('aria-expanded')) !== 'true') await icon.click();
      try {
        await this.tasks.first().waitFor({ timeout: 20_000 });
        return;
      } catch (error) {
        if (tries === SHOW_TRIES) throw error;
      }
    }
  }

  /** Rows of tasks, not those of files and folders. */
  get tasks(): Locator {
    return this.page.getByRole('treeitem', { name: /^task / });
  }

  task(name: string): Locator {
    return this.page.getByRole('treeitem', { name: new RegExp(`^task ${escapePattern(name)},`) });
  }

  /** Runs a task by the button on its line. */
  runFromTree(name: string): Promise<void> {
    return this.press(this.task(name), 'Run Task', this.panel.getByRole('heading', { name, exact: true }));
  }

  /**
   * Clicks a button on a line. A tree that is updating may ignore the click: then it is clicked again, unless the line is
   * gone, which means that the click had its effect.
   */
  async press(line: Locator, button: string, outcome: Locator): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        if (tries === 1 || (await line.isVisible())) {
          await line.hover();
          // Only a line under the mouse has buttons, and a tree that changes may have moved it away.
          await line.getByRole('button', { name: button }).click({ timeout: PRESS_MS });
        }
        await outcome.waitFor({ timeout: PRESS_MS * tries });
        return;
      } catch (error) {
        if (tries === SHOW_TRIES) throw error;
      }
    }
  }

  /** Selects an entry of a title's menu; by default that of the editor. */
  async selectFromTitle(entry: string, title = this.page.locator('.editor-actions').last()): Promise<void> {
    const item = this.page.getByRole('menuitem', { name: entry, exact: true });
    await title.hover();
    await title.getByRole('button', { name: /More Actions/ }).click();
    await untilGone(item, () => item.click({ timeout: CLICK_MS }));
  }

  /**
   * Selects an entry of a line's context menu and waits for its outcome. A tree that is updating closes the menu, or reports
   * that the list was updated: then the menu is opened again. `submenu`: the submenu that has the entry.
   */
  async selectFromMenu(line: Locator, entry: string, outcome: Locator, submenu?: string): Promise<void> {
    const item = this.page.getByRole('menuitem', { name: entry, exact: true });
    const updateNotice = this.page.locator('.notification-toast').getByText('The list was updated').first();
    for (let tries = 1; ; tries += 1) {
      try {
        await line.click({ button: 'right' });
        if (submenu !== undefined) await this.page.getByRole('menuitem', { name: submenu }).hover({ timeout: MENU_MS });
        await untilGone(item, () => item.click({ timeout: CLICK_MS }), MENU_MS);
        await outcome.or(updateNotice).first().waitFor({ timeout: 30_000 });
        if (await outcome.isVisible()) return;
        throw new Error(`“${entry}” had no effect because the tree was updated`);
      } catch (error) {
        if (tries === MENU_TRIES) throw error;
        await this.page.keyboard.press('Escape');
        await this.command('Notifications: Clear All Notifications');
      }
    }
  }

  /** The links above a task in the open file; `Run` of the first task is `lens('Run')`, which `running` is not. */
  lens(text: string): Locator {
    return this.page.locator('.codelens-decoration a', { hasText: new RegExp(text) });
  }

  /** The page of the run panel. */
  get panel(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  }

  /** The page of the webview that shows the element, if there are several webviews. */
  async pageWith(selector: string): Promise<FrameLocator> {
    let page: FrameLocator | null = null;
    const isVisible = async (): Promise<boolean> => {
      for (const frame of await this.page.locator('iframe.webview.ready').all()) {
        page = frame.contentFrame().frameLocator('iframe#active-frame');
        if (await page.locator(selector).first().isVisible()) return true;
      }
      return false;
    };
    await expect.poll(isVisible, { timeout: 120_000 }).toBe(true);
    return page as unknown as FrameLocator;
  }

  get steps(): Locator {
    return this.panel.getByRole('listbox', { name: 'Steps' }).getByRole('option');
  }

  get selectedStep(): Locator {
    return this.panel.getByRole('listbox', { name: 'Steps' }).getByRole('option', { selected: true });
  }

  /** The rows of the evaluate calls in the panel, each with its verdict and its reason. */
  get verdicts(): Locator {
    return this.panel.getByRole('list', { name: 'Evaluate calls' }).getByRole('listitem');
  }

  /** Waits for the end of the run in the panel and returns the text of its badge: `1.00`, `0.25`. */
  async verdict(): Promise<string> {
    // A single query, because another run could replace the ended one between two queries.
    const badge = this.panel.locator('.verdict-badge:not(.is-none) [aria-hidden]').last();
    return (await badge.innerText()).trim();
  }

  /** The title of the active editor. */
  async activeTab(): Promise<string> {
    return (await this.page.locator('.tab.active.selected').first().innerText()).replaceAll('\n', '');
  }

  /** The texts at the ends of lines. */
  inlineValues(): Promise<string[]> {
    return this.page.evaluate(inlineValues);
  }

  /** The text of the open file that is underlined as an error; empty if there is none. */
  underlined(): Promise<string> {
    return this.page.evaluate(underlined);
  }

  /** The numbers of problems in the status bar: `{errors: 1, warnings: 0}`. */
  async problems(): Promise<{ errors: number; warnings: number }> {
    const label = await this.page.locator('#status\\.problems a').getAttribute('aria-label');
    const number = (word: string): number => Number(new RegExp(`${word}: (\\d+)`).exec(label ?? '')?.[1] ?? 0);
    return { errors: number('Errors'), warnings: number('Warnings') };
  }

  /** One-based line of the cursor in the open file. */
  async cursorLine(): Promise<number> {
    return Number(await this.page.locator('.line-numbers.active-line-number').first().innerText());
  }

  /** Moves the cursor to a line of the open file by clicking some of its text. */
  async clickText(text: string): Promise<void> {
    await this.page.locator('.view-lines').getByText(text, { exact: false }).first().click();
  }

  /** Saves a screenshot of the window in out/screenshots for inspection. */
  async screenshot(name: string): Promise<void> {
    await this.page.screenshot({ path: join(outFolder, 'screenshots', `${name}.png`) });
  }

  /** Takes a screenshot in the dark theme, which a journey starts in, and in the others that it is repeated in. */
  async screenshotInThemes(name: string): Promise<void> {
    for (const theme of OTHER_THEMES) {
      await this.setTheme(theme);
      await this.screenshot(`${name}-${theme.replace(' ', '-')}`);
    }
    if (OTHER_THEMES.length > 0) await this.setTheme('dark');
    await this.screenshot(`${name}-dark`);
  }

  /** Opens folders below the opened one as a workspace of several roots, in the same window. */
  async openRoots(folders: readonly string[]): Promise<void> {
    const file = join(this.#base, 'roots.code-workspace');
    await writeFile(file, JSON.stringify({ folders: folders.map((name) => ({ path: join(this.folder, name) })) }));
    const explorer = this.page.getByRole('tree', { name: 'Files Explorer' });
    for (let tries = 1; ; tries += 1) {
      await this.#window.open({ workspace: file });
      try {
        await explorer
          .getByRole('treeitem', { name: new RegExp(`^${escapePattern(folders[0] ?? '')}`) })
          .first()
          .waitFor({ timeout: 30_000 });
        return;
      } catch (error) {
        // A new window sometimes requests the folders before it can read them, and stays empty.
        if (tries === SHOW_TRIES) throw error;
      }
    }
  }

  /** Closes the window as a user does. The server ends the processes of the window. */
  async closeWindow(): Promise<void> {
    // In a headless browser, closing a page skips its unload handlers; navigating runs them.
    await this.page.goto('about:blank');
  }

  /** The server's data folder, which contains the installed extension. */
  get dataFolder(): string {
    return this.#window.dataFolder;
  }

  /** Names of the entries of a subfolder of the opened folder; empty if it does not exist. */
  async filesIn(path: string): Promise<string[]> {
    return readdir(join(this.folder, path)).catch(() => []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (this.#alone ? this.#window.stop() : giveBack(this.#window));
    await rm(this.#base, { recursive: true, force: true, maxRetries: 3 });
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
