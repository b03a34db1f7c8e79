import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from './workbench.ts';

const CART = `{
  "id": "cart",
  "prompt": "Fill it.",
  "gym": "hud-browser",
  "setup": ["load_html_content", "<ul><li>Plum<li>Plum</ul><button>More</button>"],
  "evaluate": [
    {"function": "is_full", "args": []}
  ]
}
`;

const FULL = `import { defineFunction, z } from 'taskwright';

const most = 3;
export const is_full = defineFunction({
  args: z.tuple([]),
  async run({ page }) {
    const found = await page.locator('li').count();
    return { value: found === most, reason: \`\${found} of \${most}\` };
  },
});
`;

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open({
    files: {
      'a-cart/cart.task.json': CART,
      'a-cart/cart.functions.ts': FULL,
      'a-cart/cart.actions': "click('button')\n",
    },
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

/** Writes another number into the function, and saves it. */
async function holds(most: number): Promise<void> {
  await workbench.openFile('a-cart/cart.functions.ts');
  await workbench.clickText('const most');
  await workbench.page.keyboard.press('End');
  await workbench.page.keyboard.press('ArrowLeft');
  await workbench.page.keyboard.press('Backspace');
  await workbench.page.keyboard.type(String(most));
  await workbench.page.keyboard.press('Control+S');
}

it('Re-score. A run that a function of one’s own judges is recorded', async () => {
  await workbench.openFile('a-cart/cart.task.json');
  await workbench.lens('Run').first().click();
  await expect.poll(() => workbench.inlineValues(), { timeout: 60_000 }).toContain('✗ 2 of 3');
});

it('Re-score. As a test the last recorded run is the result, with a message at each call', async () => {
  await workbench.page.getByRole('tab', { name: /^Testing/ }).click();
  const tests = workbench.page.getByRole('treeitem', { name: /^a-cart/ });
  const profile = workbench.page.getByRole('option', { name: /^Re-score/ });
  await workbench.selectFromMenu(tests, 'Execute Using Profile...', profile);
  await workbench.choose(/^Re-score/);
  const message = workbench.page.locator('.test-error-content-widget').first();
  await expect.poll(() => message.innerText()).toContain('is_full(): 0.00, 2 of 3');
  await workbench.screenshot('rescore-as-test');
});

it('Re-score. On save of the function the lines of its calls say what that changes', async () => {
  await workbench.command('Taskwright: Toggle Re-score on Save');
  await workbench.page.getByText('Re-score on save is on').first().waitFor();
  await holds(2);
  await workbench.openFile('a-cart/cart.task.json');
  await expect.poll(() => workbench.inlineValues(), { timeout: 60_000 }).toContain('0.00 → 1.00, 1 of 1 changed');
  await workbench.screenshot('rescore-own-on-save');
});
