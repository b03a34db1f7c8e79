import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright';
import { expect, inject } from 'vitest';
import { outFolder, root } from '../../scripts/places.ts';
import { inlineValues, underlined } from './drawn-text.ts';
import { giveBack, takeWindow, Window, type WindowOptions } from './window.ts';

export type Theme = 'dark' | 'light' | 'high contrast';

/** Of a theme: its name in VS Code's list of themes, and the class of a window that has it. */
const THEMES: Record<Theme, readonly [label: string, className: string]> = {
  dark: ['Dark Modern', 'vs-dark'],
  light: ['Light Modern', 'vs'],
  'high contrast': ['Dark High Contrast', 'hc-black'],
};

export interface WorkbenchOptions extends WindowOptions {
  /** Files that stand in the opened folder beside the copy of the examples; by their path in it. */
  readonly files?: Readonly<Record<string, string>>;
  /** Folders of examples beside those that every window has. */
  readonly examples?: readonly string[];
  /** User settings beside those of all tests. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly width?: number;
  readonly height?: number;
  /** A server and a browser of its own, as the other options of a window need, too. */
  readonly alone?: boolean;
}

/** How often the list of themes is opened for one of them. */
const THEME_TRIES = 5;

/** How often a menu is opened for one entry. */
const MENU_TRIES = 6;
/** How often what VS Code should show is looked at. */
const SHOW_TRIES = 3;
/** Time that the command palette gets to open. */
const SHOW_MS = 20_000;
/** Time that a button on a line gets to have an effect; each further click gets as much more. */
const PRESS_MS = 15_000;
/** A menu takes no click in the first tenth of a second; this much later it has, or wants another one. */
const MENU_CLICK_MS = 500;

/** So few that all their tasks can be seen in the tree at once. */
const EXAMPLES = ['capitals', 'copy-paste', 'login', 'newsletter', 'shop', 'todo'];

/** A window of the real VS Code with the packaged extension installed and a copy of examples open. */
export class Workbench implements AsyncDisposable {
  readonly page: Page;
  /** The opened folder. */
  readonly folder: string;
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
    const ofItsOwn = alone || Object.keys(special).length > 0;
    const window = ofItsOwn ? await Window.start(special) : await takeWindow();
    const colours = { 'workbench.colorTheme': 'Default Dark Modern', 'window.autoDetectColorScheme': false };
    await window.configure({ ...colours, ...settings });
    await window.page.setViewportSize({ width, height });
    await window.open({ folder });
    await window.page.getByRole('treeitem', { name: 'README.md' }).waitFor();
    return new Workbench(window, folder, base, ofItsOwn);
  }

  /** Changes the color theme, as a person does; a new window has the dark one. */
  async setTheme(theme: Theme): Promise<void> {
    const [label, className] = THEMES[theme];
    const named = this.page.getByRole('option', { name: new RegExp(`^${label}`) }).first();
    // The list of a window that has just been opened may lack themes, and gets no more of them.
    for (let tries = 1; ; tries += 1) {
      await this.command('Preferences: Color Theme');
      await this.page.locator('.quick-input-widget input[type=text]').fill(label);
      try {
        await named.waitFor({ timeout: 10_000 });
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
    // The list of files that were open last stands there until the one that is asked for is found.
    await this.page
      .getByRole('option', { name: new RegExp(escaped(name)) })
      .and(this.page.locator('.focused'))
      .waitFor();
    await input.press('Enter');
    await this.page.getByRole('tab', { name: new RegExp(`^${escaped(name)}`), selected: true }).waitFor();
    await this.page.locator('.view-line').first().waitFor();
  }

  /** Runs a command by its title, as the command palette does. */
  async command(title: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input[type=text]');
    for (let tries = 1; ; tries += 1) {
      await this.page.keyboard.press('F1');
      try {
        await input.fill(`>${title}`, { timeout: SHOW_MS });
        break;
      } catch (error) {
        // A view that takes the focus late closes the palette.
        if (tries === SHOW_TRIES) throw error;
      }
    }
    await this.page
      .getByRole('option', { name: new RegExp(escaped(title)) })
      .first()
      .click();
  }

  /** Takes one of the entries that a list of the window offers. */
  async choose(option: RegExp): Promise<void> {
    const choice = this.page.getByRole('option', { name: option }).first();
    await choice.waitFor();
    await untilGone(choice, () => choice.click({ timeout: 3000 }));
  }

  /** Clicks a button that its click removes, such as that of a dialog. */
  async dismiss(button: Locator): Promise<void> {
    await button.waitFor();
    await untilGone(button, () => button.click({ timeout: 3000 }));
  }

  /** Answers a dialog that asks for a file; one that still looks at the folder takes no answer. */
  async answerFile(path: string): Promise<void> {
    const name = this.page.locator('.quick-input-widget input[type=text]');
    // The dialog replaces what is typed before it shows its own suggestion.
    await expect.poll(() => name.inputValue()).not.toBe('');
    await untilGone(name, async () => {
      await name.fill(path);
      await name.press('Enter');
    });
  }

  /** Shows the view of all tasks by a click on its icon; a window that is just being drawn may lose one. */
  async showTasks(): Promise<void> {
    const icon = this.page.getByRole('tab', { name: /^Taskwright/ });
    for (let tries = 1; ; tries += 1) {
      // A click on the icon of what is shown would hide it.
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
    return this.page.getByRole('treeitem', { name: new RegExp(`^task ${escaped(name)},`) });
  }

  /** Runs a task by the button on its line. */
  runFromTree(name: string): Promise<void> {
    return this.press(this.task(name), 'Run Task', this.panel.getByRole('heading', { name, exact: true }));
  }

  /**
   * Clicks a button on a line. A tree that is being redrawn may lose the click: then it is clicked again, unless the line is
   * gone, which means that the click had its effect.
   */
  async press(line: Locator, button: string, outcome: Locator): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      if (tries === 1 || (await line.isVisible())) {
        await line.hover();
        await line.getByRole('button', { name: button }).click();
      }
      try {
        await outcome.waitFor({ timeout: PRESS_MS * tries });
        return;
      } catch (error) {
        if (tries === SHOW_TRIES) throw error;
      }
    }
  }

  /** Takes an entry of the menu in a title: that above the panel, where no other is meant. */
  async takeFromTitle(entry: string, title = this.page.locator('.editor-actions').last()): Promise<void> {
    const item = this.page.getByRole('menuitem', { name: entry, exact: true });
    await title.hover();
    await title.getByRole('button', { name: /More Actions/ }).click();
    await item.waitFor();
    await untilGone(item, () => item.click({ timeout: 3000 }));
  }

  /**
   * Takes an entry of the menu of a line and waits for what it leads to. A tree that is just drawn anew closes the menu, or
   * forgets whose it was and says so: one opens it again. `submenu`: the submenu that has the entry.
   */
  async takeFromMenu(line: Locator, entry: string, outcome: Locator, submenu?: string): Promise<void> {
    const item = this.page.getByRole('menuitem', { name: entry, exact: true });
    const changed = this.page.locator('.notification-toast').getByText('The list was updated').first();
    for (let tries = 1; ; tries += 1) {
      try {
        await line.click({ button: 'right' });
        if (submenu !== undefined) await this.page.getByRole('menuitem', { name: submenu }).hover({ timeout: 3000 });
        await untilGone(item, () => item.click({ timeout: 3000 }));
        await outcome.or(changed).first().waitFor({ timeout: 30_000 });
        if (await outcome.isVisible()) return;
        throw new Error(`“${entry}” was forgotten when the tree was drawn anew`);
      } catch (error) {
        if (tries === MENU_TRIES) throw error;
        await this.page.keyboard.press('Escape');
        await this.command('Notifications: Clear All Notifications');
      }
    }
  }

  /** The links above a task in the open file; `Run` of the first task is `lens('Run')`. */
  lens(text: string): Locator {
    return this.page.locator('.codelens-decoration a', { hasText: text });
  }

  /** The page of the run panel. */
  get panel(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  }

  /** The page of the webview that shows such an element, if there are several webviews. */
  async pageWith(selector: string): Promise<FrameLocator> {
    const found = async (): Promise<FrameLocator | null> => {
      const frames = this.page.locator('iframe.webview.ready');
      for (let index = 0; index < (await frames.count()); index += 1) {
        const page = frames.nth(index).contentFrame().frameLocator('iframe#active-frame');
        if (await page.locator(selector).first().isVisible()) return page;
      }
      return null;
    };
    await expect.poll(found, { timeout: 60_000 }).not.toBeNull();
    return (await found()) as FrameLocator;
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

  /** Waits for the end of a run in the panel and returns what its badge says: `1.00`, `0.25`. */
  async verdict(): Promise<string> {
    // One look: between two a run that was just begun could take the place of one that has ended.
    const badge = this.panel.locator('.verdict-badge:not(.is-none) [aria-hidden]').last();
    return (await badge.innerText()).trim();
  }

  /** The frames of the call stack, and the sessions and threads above them. */
  get stack(): Locator {
    return this.page.locator('.debug-call-stack .monaco-list-row');
  }

  async stackText(): Promise<string> {
    return (await this.stack.allInnerTexts()).join('\n');
  }

  /** What the Variables view shows: of the session that has VS Code's attention. */
  async variables(): Promise<string> {
    return (await this.page.locator('.debug-variables .monaco-list-row').allInnerTexts()).join('\n');
  }

  /** The file that the editor in front shows. */
  async activeTab(): Promise<string> {
    return (await this.page.locator('.tab.active.selected').first().innerText()).replaceAll('\n', '');
  }

  /**
   * The debugger stands in a frame, the editor in front shows its file, and it is the frame's session that VS Code's attention
   * has: keys are for that one, and it comes last.
   */
  async stands(frame: string, file: string): Promise<void> {
    await expect.poll(() => this.stackText(), { timeout: 60_000 }).toContain(frame);
    await expect.poll(() => this.activeTab()).toContain(file);
    const scope = file.endsWith('.task.json') ? 'Call' : 'Local';
    await expect.poll(() => this.variables(), { timeout: 60_000 }).toContain(scope);
  }

  /** What stands behind the code at the ends of lines. */
  inlineValues(): Promise<string[]> {
    return this.page.evaluate(inlineValues);
  }

  /** The characters of the open file that stand above a squiggle of an error; empty where there is none. */
  underlined(): Promise<string> {
    return this.page.evaluate(underlined);
  }

  /** What the status bar says of problems: `{errors: 1, warnings: 0}`. */
  async problems(): Promise<{ errors: number; warnings: number }> {
    const label = await this.page.locator('#status\\.problems a').getAttribute('aria-label');
    const number = (word: string): number => Number(new RegExp(`${word}: (\\d+)`).exec(label ?? '')?.[1] ?? 0);
    return { errors: number('Errors'), warnings: number('Warnings') };
  }

  /** One-based line of the cursor in the open file. */
  async cursorLine(): Promise<number> {
    return Number(await this.page.locator('.line-numbers.active-line-number').first().innerText());
  }

  /** Puts the cursor into a line of the open file by a click on some of its text. */
  async clickText(text: string): Promise<void> {
    await this.page.locator('.view-lines').getByText(text, { exact: false }).first().click();
  }

  /** Keeps a picture of the window in out/screenshots, for a person to look at. */
  async screenshot(name: string): Promise<void> {
    await this.page.screenshot({ path: join(outFolder, 'screenshots', `${name}.png`) });
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
          .getByRole('treeitem', { name: new RegExp(`^${escaped(folders[0] ?? '')}`) })
          .first()
          .waitFor({ timeout: 30_000 });
        return;
      } catch (error) {
        // A new window of VS Code sometimes asks for the list of folders before it can read it, and stays empty.
        if (tries === SHOW_TRIES) throw error;
      }
    }
  }

  /** Closes the window as a person does; what runs behind it is the server's to end. */
  async closeWindow(): Promise<void> {
    // A closed page ends without its last words in a headless browser; one that is left says them.
    await this.page.goto('about:blank');
  }

  /** Where the server keeps what it has, the installed extension among it. */
  get dataFolder(): string {
    return this.#window.dataFolder;
  }

  /** Names of the entries of a folder below the opened one; empty where there is none. */
  async filesIn(path: string): Promise<string[]> {
    return readdir(join(this.folder, path)).catch(() => []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (this.#alone ? this.#window.stop() : giveBack(this.#window));
    await rm(this.#base, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Does what makes something vanish until it has. */
async function untilGone(locator: Locator, act: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    if (tries > 1 && !(await locator.isVisible())) return;
    try {
      await act();
    } catch (error) {
      // It went between the look and the act: the act before has worked.
      if (tries > 1 && !(await locator.isVisible())) return;
      throw error;
    }
    try {
      await locator.waitFor({ state: 'hidden', timeout: MENU_CLICK_MS * tries });
      return;
    } catch (error) {
      if (tries === MENU_TRIES) throw error;
    }
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
