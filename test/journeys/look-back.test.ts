import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { itLong } from '../sample.ts';
import { Workbench } from './workbench.ts';

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open();
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

const shownPicture = () => workbench.panel.locator('figure.shot:not([hidden]) img.shot-picture').first();

it('Look back: arrow keys walk the steps, and the picture follows', async () => {
  await workbench.openFile('newsletter/newsletter.task.json');
  await workbench.lens('Run').first().click();
  await workbench.verdict();
  // When the run ends, the panel selects its failed call.
  const first = async (): Promise<string> => {
    await workbench.steps.first().click();
    return workbench.selectedStep.innerText();
  };
  await expect.poll(first).toContain('goto');
  const before = await shownPicture().getAttribute('src');
  await workbench.page.keyboard.press('ArrowRight');
  await expect.poll(() => workbench.selectedStep.innerText()).toContain('fill');
  await expect.poll(() => shownPicture().getAttribute('src')).not.toBe(before);
  await workbench.page.keyboard.press('ArrowRight');
  await expect.poll(() => workbench.selectedStep.innerText()).toContain('click');
  await workbench.page.keyboard.press('ArrowLeft');
  await expect.poll(() => workbench.selectedStep.innerText()).toContain('fill');
});

it('Look back: the overlay shows where the action was', async () => {
  await expect
    .poll(() => workbench.panel.locator('figure.shot:not([hidden])').first().innerText())
    .toContain('ada@example.com');
  await workbench.screenshot('look-back');
});

it('Look back: the observation follows, with what changed', async () => {
  await workbench.panel.getByRole('tab', { name: 'Observation' }).click();
  const text = workbench.panel.getByRole('group', { name: 'Observation text' });
  await expect.poll(() => text.innerText()).toContain("value='ada@example.com'");
});

it('Look back: so does the console of the page', async () => {
  await workbench.panel.getByRole('tab', { name: /Console/ }).click();
  const details = workbench.panel.getByRole('region', { name: 'Details' });
  await workbench.steps.nth(2).click();
  await expect.poll(() => details.innerText()).toContain('the terms are not accepted');
});

it('Look back: an action is copied as the line of a solution', async () => {
  await workbench.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await workbench.steps.nth(1).click();
  await workbench.command('Taskwright: Copy Action');
  const copied = () => workbench.page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toBe("fill('#email', 'ada@example.com')");
  await workbench.steps.nth(2).click();
});

itLong('Look back: its page opens in the person’s own browser, or it is said why not', async () => {
  await workbench.command('Taskwright: Open Page in Browser');
  const toast = workbench.page.locator('.notification-toast');
  await toast.getByText('it is a file on another machine').waitFor();
  await workbench.screenshot('look-back-page');
  await workbench.command('Notifications: Clear All Notifications');
  await workbench.panel.getByRole('heading', { name: 'forgot-the-terms' }).click();
  await workbench.selectFromTitle('Open Page in Browser');
  await toast.getByRole('button', { name: 'Open File' }).click();
  await workbench.page.getByRole('tab', { name: /^newsletter\.html/ }).waitFor();
  await workbench.command('View: Close Editor');

  const server = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const start_url = `http://127.0.0.1:${port}/shop`;
    const task = { id: 'at-a-site', prompt: 'Look.', gym: 'hud-browser', start_url };
    await writeFile(join(workbench.folder, 'site.task.json'), JSON.stringify(task));
    await workbench.showTasks();
    // The tree changes once more when the file has been checked, which would close the menu.
    await workbench.page.getByRole('treeitem', { name: /^task at-a-site,.* 1 warning/ }).waitFor();
    const opened = workbench.page.context().waitForEvent('page');
    await workbench.selectFromMenu(workbench.task('at-a-site'), 'Open Page in Browser', workbench.tasks.first());
    const shop = await opened;
    // Where the browser is on another machine than VS Code, that forwards the port.
    await expect.poll(() => shop.url(), { timeout: 120_000 }).toMatch(new RegExp(`[:/]${port}/shop$`));
    await shop.close();
  } finally {
    server.close();
  }
});

it('Look back: the run is there after the window was closed and opened again', async () => {
  await workbench.command('Developer: Reload Window');
  await workbench.panel.getByRole('heading', { name: 'forgot-the-terms' }).waitFor();
  expect(await workbench.verdict()).toBe('0.25');
  await expect.poll(() => workbench.selectedStep.innerText()).toContain('click');
});

it('Look back: past runs are opened from their view', async () => {
  await workbench.command('View: Close All Editors');
  await workbench.showTasks();
  await workbench.page
    .getByRole('treeitem', { name: /forgot-the-terms.*0\.25/ })
    .last()
    .click();
  await workbench.panel.getByRole('heading', { name: 'forgot-the-terms' }).waitFor();
  expect(await workbench.verdict()).toBe('0.25');
});

it('Why 0? The panel says of each call what was expected, what was found, the nearest thing to it', async () => {
  await workbench.command('View: Close All Editors');
  await workbench.openFile('newsletter/newsletter.task.json');
  await workbench.lens('Run').first().click();
  expect(await workbench.verdict()).toBe('0.25');
  const said = await workbench.verdicts.allInnerTexts();
  expect(said).toHaveLength(4);
  const failed = said.slice(0, 3).join('\n');
  expect(failed).toContain('no element matches');
  expect(failed).toContain('nearest: button “Subscribe”');
  expect(failed).toContain('cookie subscribed missing');
  await workbench.verdicts.locator('.verdict-reason code').getByText('subscribed', { exact: true }).waitFor();
});

it('Why 0? Every call carries its value in line in the task file', async () => {
  await expect.poll(async () => (await workbench.inlineValues()).length).toBe(5);
  const values = await workbench.inlineValues();
  expect(values.filter((value) => value === '✓')).toHaveLength(1);
  expect(values.filter((value) => value.startsWith('✗'))).toHaveLength(3);
  expect(values.find((value) => value.includes('nearest'))).toContain('Subscribe');
  await workbench.screenshot('why-0');
});

it('Why 0? A click in the panel goes to the call in the file', async () => {
  await workbench.verdicts.getByText('line 15').first().click();
  await expect.poll(() => workbench.cursorLine()).toBe(15);
});

it('Why 0? A click on a call in the file goes to its step in the panel', async () => {
  await workbench.clickText('cookie_exists');
  await expect.poll(() => workbench.selectedStep.innerText()).toContain('cookie_exists');
});

it('Why 0? The value of a call stands until the call is edited', async () => {
  await workbench.clickText('#terms:checked');
  await workbench.page.keyboard.type('x');
  await expect.poll(async () => (await workbench.inlineValues()).filter((v) => v.startsWith('✗')).length).toBe(2);
});
