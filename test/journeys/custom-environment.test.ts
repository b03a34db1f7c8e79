import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from './workbench.ts';

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.open({ examples: ['lights'] });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it("A custom environment: its controller's picture, text and verdict stand in the panel", async () => {
  await workbench.openFile('lights/lights.tasks.yaml');
  await expect.poll(() => workbench.problems()).toEqual({ errors: 0, warnings: 0 });
  await workbench.lens('Run').first().click();
  expect(await workbench.verdict()).toBe('1.00');
  await workbench.screenshot('custom-environment');
});

it('A custom environment: F12 leads from a call to the function in the controller', async () => {
  await workbench.openFile('lights/lights.tasks.yaml');
  await workbench.clickText('board.all_off');
  await workbench.page.keyboard.press('F12');
  await expect.poll(() => workbench.activeTab()).toContain('board.py');
});
