import type { FrameLocator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { itLong } from '../sample.ts';
import { Workbench } from './workbench.ts';

const ORDER = `{
  "id": "order",
  "prompt": "Order it.",
  "gym": "hud-browser",
  "setup": ["load_html_content", "<button onclick='document.body.textContent = this.textContent + 1'>Thanks</button>"],
  "evaluate": [
    {"function": "page_contains", "args": ["Thank you"]}
  ]
}
`;

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
      'an-order/order.task.json': ORDER,
      'an-order/order.actions': "click('button')\n",
      'a-cart/cart.task.json': CART,
      'a-cart/cart.functions.ts': FULL,
      'a-cart/cart.actions': "click('button')\n",
    },
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

/** Puts another text in place of the call's argument. */
async function argument(length: number, text: string): Promise<void> {
  await workbench.clickText('page_contains');
  await workbench.page.keyboard.press('Control+G');
  await workbench.page.keyboard.type('7:45');
  await workbench.page.keyboard.press('Enter');
  for (let at = 0; at < length; at += 1) await workbench.page.keyboard.press('Delete');
  await workbench.page.keyboard.type(text);
  await workbench.page.keyboard.press('Escape');
}

it('Re-score. A run whose evaluator asks for the wrong words is recorded', async () => {
  await workbench.openFile('an-order/order.task.json');
  await workbench.lens('Run').first().click();
  expect(await workbench.verdict()).toBe('0.00');
});

it('Re-score. The repaired call is tried on the recorded run, with no agent', async () => {
  await argument('Thank you'.length, 'Thanks1');
  await workbench.page.keyboard.press('Control+S');
  await workbench.showTasks();
  const opened = workbench.page.getByRole('tab', { name: /Re-score: order/ });
  await workbench.selectFromMenu(workbench.task('order'), 'Re-score Recorded Runs', opened, 'Recorded Runs');
  const page = await workbench.pageWith('.rescore');
  await page.getByText('1 re-scored').waitFor();
  await expect
    .poll(() => page.getByRole('row').evaluateAll((rows) => rows.map(({ ariaLabel }) => ariaLabel)))
    .toEqual([
      expect.stringMatching(/^order: better, from 0\.00 to 1\.00, solution/),
      expect.stringMatching(/^page_contains\("Thanks1"\): better, from 0\.00 to 1\.00, “Thanks1” can be read/),
    ]);
  await workbench.screenshot('rescore');
});

it('Re-score. The page of the doctor beside it is there after the window was reloaded', async () => {
  const { page } = workbench;
  const doctor = async () => (await workbench.pageWith('h1:has-text("Taskwright: Doctor")')).getByText(/Node\.js \d+/);
  await workbench.command('Taskwright: Doctor');
  await (await doctor()).waitFor();
  await workbench.command('Developer: Reload Window');
  await page.locator('iframe.webview').first().waitFor({ state: 'detached' });
  await (await doctor()).waitFor();
  const tab = page.getByRole('tab', { name: /Doctor/ });
  await tab.getByRole('button', { name: /^Close/ }).click();
  await tab.waitFor({ state: 'detached' });
});

it('Re-score. The table is there after the window was reloaded, and leads to its calls', async () => {
  const page = await workbench.pageWith('.rescore');
  await page.getByText('1 re-scored').waitFor();
  await page.locator('.rescore-summary').getByText('1 of 1 changed: 1 up').waitFor();
  await page.getByRole('row', { name: /^page_contains/ }).click();
  await expect.poll(() => workbench.cursorLine()).toBe(7);
  // Nothing is judged until the person asks, and then the same runs.
  await page.getByRole('button', { name: 'Re-score Again' }).click();
  await page.getByText('1 re-scored').waitFor();
});

it('Re-score. A click on the run shows it, and its panel says at which step the verdict turned', async () => {
  const table = await workbench.pageWith('.rescore');
  await table.getByRole('row', { name: /^order:/ }).click();
  const panel = await workbench.pageWith('.curve .link');
  await panel.locator('.curve .link').click();
  await panel.getByText('Reward 0.00, from step 1: 1.00').waitFor();
  await panel.getByRole('slider', { name: 'Reward at each step' }).press('Home');
  await expect.poll(() => workbenchStep(panel)).toContain('load_html_content');
  await workbench.screenshot('reward-curve');
});

const workbenchStep = (panel: FrameLocator): Promise<string> =>
  panel.getByRole('listbox', { name: 'Steps' }).getByRole('option', { selected: true }).innerText();

it('Re-score. On save the call’s line says what a change does to the recorded runs', async () => {
  await workbench.command('Taskwright: Toggle Re-score on Save');
  await workbench.page.getByText('Re-score on save is on').first().waitFor();
  await argument('Thanks1'.length, 'Thanks');
  await workbench.page.keyboard.press('Control+S');
  await expect.poll(() => workbench.inlineValues(), { timeout: 120_000 }).toContain('0.00 → 1.00, 1 of 1 changed');
  await workbench.screenshot('rescore-on-save');
  await workbench.command('Taskwright: Toggle Re-score on Save');
  await expect.poll(() => workbench.inlineValues()).not.toContain('0.00 → 1.00, 1 of 1 changed');
});

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

itLong('Re-score. A run that a function of one’s own judges is recorded', async () => {
  await workbench.command('View: Close All Editors');
  await workbench.openFile('a-cart/cart.task.json');
  await workbench.lens('Run').first().click();
  await expect.poll(() => workbench.inlineValues(), { timeout: 120_000 }).toContain('✗ 2 of 3');
});

itLong('Re-score. As a test the last recorded run is the result, with a message at each call', async () => {
  await workbench.page.getByRole('tab', { name: /^Testing/ }).click();
  const tests = workbench.page.getByRole('treeitem', { name: /^a-cart/ });
  const profile = workbench.page.getByRole('option', { name: /^Re-score/ });
  await workbench.selectFromMenu(tests, 'Execute Using Profile...', profile);
  await workbench.choose(/^Re-score/);
  const message = workbench.page.locator('.test-error-content-widget').first();
  await expect.poll(() => message.innerText()).toContain('is_full(): 0.00, 2 of 3');
  await workbench.screenshot('rescore-as-test');
});

itLong('Re-score. On save of the function the lines of its calls say what that changes', async () => {
  await workbench.command('Taskwright: Toggle Re-score on Save');
  await workbench.page.getByText('Re-score on save is on').first().waitFor();
  await holds(2);
  await workbench.openFile('a-cart/cart.task.json');
  await expect.poll(() => workbench.inlineValues(), { timeout: 120_000 }).toContain('0.00 → 1.00, 1 of 1 changed');
  await workbench.screenshot('rescore-own-on-save');
});
