import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { itLong } from '../sample.ts';
import { OTHER_THEMES, type Theme } from './themes.ts';
import { Workbench } from './workbench.ts';

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.open({
    examples: ['custom-tasks', 'desktop', 'lights'],
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

const stack = async (): Promise<string> =>
  (await workbench.page.locator('.debug-call-stack .monaco-list-row').allInnerTexts()).join('\n');

itLong("A custom environment: its controller's picture, text and verdict stand in the panel", async () => {
  await workbench.openFile('lights/lights.tasks.yaml');
  await expect.poll(() => workbench.problems()).toEqual({ errors: 0, warnings: 0 });
  await workbench.lens('Run').first().click();
  expect(await workbench.verdict()).toBe('1.00');
  await workbench.screenshot('custom-environment');
});

itLong('A custom environment: F12 leads from a call to the function in the controller', async () => {
  await workbench.openFile('lights/lights.tasks.yaml');
  await workbench.lens('Run').first().waitFor();
  await workbench.clickText('board.all_off');
  await workbench.page.keyboard.press('F12');
  await expect.poll(() => workbench.activeTab()).toContain('board.py');
});

itLong('A custom task in code: its class gives the page, the reward of each step and the end', async () => {
  await workbench.openFile('custom-tasks/custom.tasks.json');
  await expect.poll(() => workbench.problems()).toEqual({ errors: 0, warnings: 0 });
  await workbench.lens('Run').nth(1).click();
  await workbench.panel.getByText('Find out which room is free on Tuesday afternoon').first().waitFor();
  expect(await workbench.verdict()).toBe('1.00');
  await workbench.screenshot('custom-task');
});

itLong('A custom task in code: F12 leads from its name to its class, whose types the editor knows', async () => {
  await workbench.openFile('custom-tasks/custom.tasks.json');
  await workbench.clickText('copy-note');
  await workbench.page.keyboard.press('F12');
  await workbench.page.getByRole('tab', { name: /^house\.functions\.ts/ }).waitFor();
  await expect.poll(() => workbench.cursorLine()).toBe(6);
  await expect.poll(() => workbench.problems()).toEqual({ errors: 0, warnings: 0 });
});

itLong('A custom task in code: a breakpoint in its class stops the run that is debugged', async () => {
  await workbench.page.keyboard.press('Control+F');
  await workbench.page.keyboard.type('action.startsWith');
  await workbench.page.keyboard.press('Enter');
  await workbench.page.keyboard.press('Escape');
  await workbench.page.keyboard.press('F9');
  await workbench.openFile('custom-tasks/custom.tasks.json');
  await workbench.lens('Debug').first().click();
  await expect.poll(stack).toContain('reward');
  await expect.poll(stack).toContain('house.functions.ts');
  await workbench.screenshot('custom-task-debugged');
  await workbench.page.keyboard.press('F5');
  expect(await workbench.verdict()).toBe('1.00');
});

itLong('Own functions: a good file has no problem', async () => {
  await workbench.openFile('todo/todo.functions.ts');
  // The lines above the functions move those below them.
  await workbench.lens('used by 1 task').first().waitFor();
  await workbench.clickText('done_items');
  const hover = workbench.page.getByText('UserDefinition').first();
  // What TypeScript does not know yet, it says nothing of. Asking again closes what is shown, so each answer has time.
  await expect
    .poll(async () => {
      await workbench.page.keyboard.press('Control+K');
      await workbench.page.keyboard.press('Control+I');
      return hover.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    })
    .toBe(true);
});

const BY_HAND = {
  id: 'by-hand',
  prompt: 'The text editor is open. Write “by hand ✓” and save it.',
  gym: 'hud-ubuntu',
  setup: [
    { function: 'write_file', args: ['note.txt', ''] },
    { function: 'open', args: ['note.txt'] },
  ],
  evaluate: { function: 'file_contains', args: ['note.txt', 'by hand ✓'] },
};

itLong.each<Theme>(['dark', ...OTHER_THEMES])(
  'Run a desktop task: its picture, what was done on it, and its windows: %s theme',
  async (theme) => {
    await workbench.closeEditors();
    await workbench.setTheme(theme);
    await workbench.openFile('desktop/desktop.tasks.yaml');
    await workbench.lens('Run').first().click();
    expect(await workbench.verdict()).toBe('1.00');
    // What the agent did last.
    await workbench.steps.nth(3).click();
    await workbench.panel.locator('.details, aside, section').getByText('note.txt L3afpad').first().waitFor();
    await workbench.screenshot(`desktop-${theme.replace(' ', '-')}`);
  },
);

itLong('By hand on a desktop: a person clicks and types in its live picture, and what was done counts', async () => {
  await writeFile(join(workbench.folder, 'desktop', 'by-hand.task.json'), `${JSON.stringify(BY_HAND, null, 2)}\n`);
  await workbench.closeEditors();
  await workbench.openFile('desktop/by-hand.task.json');
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
