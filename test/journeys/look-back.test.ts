import { afterAll, beforeAll, expect, it } from 'vitest';
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
  await workbench.steps.first().click();
  expect(await workbench.selectedStep.innerText()).toContain('goto');
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
