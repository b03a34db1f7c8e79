import type { Locator, Page } from 'playwright';
import { expect } from 'vitest';

/** The window that has the view. */
interface DebugWindow {
  readonly page: Page;
  command(title: string): Promise<void>;
  openFile(path: string): Promise<void>;
  lens(text: string): Locator;
  clickText(text: string): Promise<void>;
  activeTab(): Promise<string>;
}

/** The Run and Debug view and the debug console of a window. */
export class DebugView {
  readonly #window: DebugWindow;

  constructor(window: DebugWindow) {
    this.#window = window;
  }

  /** The frames of the call stack, and the sessions and threads above them. */
  get stack(): Locator {
    return this.#window.page.locator('.debug-call-stack .monaco-list-row');
  }

  async stackText(): Promise<string> {
    return (await this.stack.allInnerTexts()).join('\n');
  }

  /** The text of the Variables view, which shows the focused session. */
  async variables(): Promise<string> {
    return (await this.#window.page.locator('.debug-variables .monaco-list-row').allInnerTexts()).join('\n');
  }

  /** Opens a task file, sets a breakpoint on a call of its first task, and debugs the task up to it, with the keys. */
  async stopAtCall(taskFile: string, call: string, timeout = 120_000): Promise<void> {
    const { page } = this.#window;
    await this.#window.openFile(taskFile);
    await this.#window.lens('Debug').first().waitFor();
    await this.#window.clickText(call);
    await page.keyboard.press('F9');
    await this.start(timeout);
  }

  /** Debugs the task at the cursor up to a breakpoint, with the keys. They would continue a session that has not ended yet. */
  async start(timeout = 120_000): Promise<void> {
    const { page } = this.#window;
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    await page.keyboard.press('F5');
    await page.getByText('Paused on breakpoint').waitFor({ timeout });
  }

  /**
   * Waits until the debugger is stopped in a frame, the active editor shows its file, and its session has the focus, which
   * comes last: keys go to the focused session.
   */
  async waitForStop(frame: string, file: string): Promise<void> {
    await expect.poll(() => this.stackText(), { timeout: 120_000 }).toContain(frame);
    await expect.poll(() => this.#window.activeTab()).toContain(file);
    const scope = file.endsWith('.task.json') ? 'Call' : 'Local';
    await expect.poll(() => this.variables(), { timeout: 120_000 }).toContain(scope);
  }

  /** Evaluates an expression in the debug console. */
  async evaluate(expression: string): Promise<void> {
    const { page } = this.#window;
    await this.#window.command('Debug Console: Focus on Debug Console View');
    // Keys before that go to the editor.
    await page.locator('.repl-input-wrapper .monaco-editor.focused').waitFor();
    await page.keyboard.type(expression);
    await page.keyboard.press('Enter');
  }
}
