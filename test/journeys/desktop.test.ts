import { afterAll, beforeAll, expect, it } from 'vitest';
import { OTHER_THEMES, type Theme, Workbench } from './workbench.ts';

const TASK = {
  id: 'by-hand',
  prompt: 'The text editor is open. Write “by hand ✓” and save it.',
  gym: 'hud-ubuntu',
  setup: [
    { function: 'write_file', args: ['note.txt', ''] },
    { function: 'open', args: ['note.txt'] },
  ],
  evaluate: { function: 'file_contains', args: ['note.txt', 'by hand ✓'] },
};
const files = { 'hand/desktop.task.json': `${JSON.stringify(TASK, null, 2)}\n` };

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.open({ files, examples: ['desktop'] });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it.each<Theme>(['dark', ...OTHER_THEMES])(
  'Run a desktop task: its picture, what was done on it, and its windows: %s theme',
  async (theme) => {
    await workbench.setTheme(theme);
    await workbench.openFile('desktop/desktop.tasks.yaml');
    await workbench.lens('Run').first().click();
    expect(await workbench.verdict()).toBe('1.00');
    // What the agent did last.
    await workbench.steps.nth(3).click();
    await workbench.panel.locator('.details, aside, section').getByText('note.txt L3afpad').first().waitFor();
    await workbench.screenshot(`desktop-${theme.replace(' ', '-')}`);
    await workbench.closeEditors();
  },
);

it('By hand on a desktop: a person clicks and types in its live picture, and what was done counts', async () => {
  await workbench.openFile('hand/desktop.task.json');
  await workbench.lens('Run').first().click();
  const layer = workbench.panel.locator('.manual-layer');
  await layer.waitFor();
  await layer.click();
  const bar = workbench.panel.locator('.manual-bar');
  await expect.poll(() => bar.getAttribute('class')).toContain('is-capturing');
  const { keyboard } = workbench.page;
  await keyboard.type('by hand ');
  await keyboard.insertText('✓');
  await keyboard.press('Control+s');
  await keyboard.press('Shift+Escape');
  await workbench.screenshot('desktop-by-hand');
  await bar.getByText('Finish').click();
  expect(await workbench.verdict()).toBe('1.00');
});
