import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from './workbench.ts';

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open({
    files: {
      'todo/wrong.functions.ts': [
        "import { defineFunction, z } from 'taskwright';",
        'export const wrong = defineFunction({',
        '  args: z.tuple([z.number()]),',
        '  async run({ page }, expected) {',
        '    return (await page.titel()) === expected.toFixed();',
        '  },',
        '});',
        '',
      ].join('\n'),
    },
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it('Own functions: the editor knows their types with nothing installed beside them', async () => {
  await workbench.openFile('todo/wrong.functions.ts');
  // One mistake and no other: the import is found, `page` is a page, `expected` a number.
  await expect.poll(() => workbench.problems()).toEqual({ errors: 1, warnings: 0 });
  await workbench.command('Problems: Focus on Problems View');
  await workbench.page.getByText("Property 'titel' does not exist on type 'Page'").first().waitFor();
});

it('Own functions: a good file has no problem', async () => {
  await workbench.openFile('todo/todo.functions.ts');
  // The lines above the functions move those below them.
  await workbench.lens('used by 1 task').first().waitFor();
  await workbench.clickText('done_items');
  const hover = workbench.page.getByText('UserDefinition').first();
  // What TypeScript does not know yet, it says nothing of.
  await expect
    .poll(async () => {
      await workbench.page.keyboard.press('Control+K');
      await workbench.page.keyboard.press('Control+I');
      return hover.isVisible();
    })
    .toBe(true);
});
