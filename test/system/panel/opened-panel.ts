import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { HostMessage, PanelMessage, PanelRun } from '../../../src/presentation/runs/messages.ts';
import { openBrowser, Shell, type ShellOptions } from './shell.ts';
import { photographShop } from './shop.ts';

export let browser: Browser;
export let pictures: Awaited<ReturnType<typeof photographShop>>;
export let shell: Shell;

/** Opens one browser for all tests of a file. */
export function shareBrowser(): void {
  beforeAll(async () => {
    browser = await openBrowser();
    const page = await browser.newPage();
    pictures = await photographShop(page);
    await page.close();
  });
  afterAll(() => browser.close());
}

export function show(run: PanelRun, select: number | null = null, live = false): HostMessage {
  return { type: 'run', run, select, live };
}

/** Opens the panel, plays these messages, lets the person act, and expects that the page had no error of any kind. */
export async function panel(
  options: ShellOptions,
  messages: readonly HostMessage[],
  act: () => Promise<void>,
): Promise<void> {
  shell = await Shell.open(browser, pictures, options);
  await shell.send(...messages);
  await act();
  expect(await shell.problems()).toEqual([]);
  await shell.close();
}

export function steplist() {
  return shell.page.getByRole('listbox', { name: 'Steps' });
}

export function selectedSteps(): Promise<string[]> {
  return steplist().getByRole('option', { selected: true }).allTextContents();
}

export function messagesOf<T extends PanelMessage['type']>(type: T) {
  return shell.messages().then((all) => all.filter((message) => message.type === type));
}
