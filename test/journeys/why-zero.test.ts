import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from './workbench.ts';

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open();
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it('Why 0? The panel says of each call what was expected, what was found, the nearest thing to it', async () => {
  await workbench.openFile('newsletter/newsletter.task.json');
  await workbench.lens('Run').first().click();
  expect(await workbench.verdict()).toBe('0.25');
  const said = await workbench.verdicts.allInnerTexts();
  expect(said).toHaveLength(4);
  const failed = said.slice(0, 3).join('\n');
  expect(failed).toContain('no element matches');
  expect(failed).toContain('nearest: button “Subscribe”');
  expect(failed).toContain('cookie `subscribed` missing');
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
