import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from './workbench.ts';

const CART = `{
  "id": "cart",
  "prompt": "Put three plums into the cart.",
  "gym": "hud-browser",
  "setup": ["load_html_content", "<title>Cart</title><ul><li>Plum<li>Plum</ul><button>More</button>"],
  "evaluate": [
    {"function": "items_in_cart", "args": [2]},
    {"function": "page_contains", "args": ["Plum"]}
  ]
}
`;

const FUNCTIONS = `import { defineFunction, z } from 'taskwright';

export const items_in_cart = defineFunction({
  args: z.tuple([z.number()]),
  async run({ page }, wanted) {
    const found = await page.locator('li').count();
    const right = found === wanted;
    return { value: right, reason: \`\${found} of \${wanted}\` };
  },
});
`;

const LOOP = { id: 'loop', prompt: 'Wait.', gym: 'qa', evaluate: { function: 'spins', args: [] } };

const SPINS = `export function spins() {
  let turns = 0;
  for (;;) turns += 1;
}
`;

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open({
    files: {
      'cart/cart.task.json': CART,
      'cart/cart.functions.ts': FUNCTIONS,
      'cart/cart.actions': "click('button')\n",
      'loop/loop.task.json': JSON.stringify(LOOP),
      'loop/loop.functions.ts': SPINS,
      'loop/loop.actions': "response('done')\n",
    },
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it('Debug. Step Into enters a function of the person’s, on its first line', async () => {
  await workbench.openFile('cart/cart.task.json');
  await workbench.lens('Debug').first().waitFor();
  await workbench.clickText('items_in_cart');
  await workbench.page.keyboard.press('F9');
  await workbench.page.keyboard.press('F5');
  await workbench.page.getByText('Paused on breakpoint').waitFor();
  await workbench.page.keyboard.press('F11');
  await workbench.debug.waitForStop('cart.functions.ts', 'cart.functions.ts');
  await expect.poll(() => workbench.cursorLine()).toBe(6);
  await workbench.screenshot('debug-step-into');
});

it('Debug. It is stepped through with its variables, for as long as the person likes', async () => {
  await workbench.page.keyboard.press('F10');
  await expect.poll(() => workbench.cursorLine()).toBe(7);
  await expect.poll(() => workbench.debug.variables()).toMatch(/found\s*[:=]\s*2/);
});

it('Debug. While it is stopped, the debug console reads from the page and awaits', async () => {
  await workbench.debug.evaluate("await page.locator('li').first().textContent()");
  const answers = workbench.page.locator('.repl .evaluation-result');
  await answers.filter({ hasText: "'Plum'" }).waitFor();
  await workbench.debug.evaluate('(await page.title()) + found');
  await answers.filter({ hasText: "'Cart2'" }).waitFor();
  await workbench.screenshotInThemes('debug-stopped-console');
});

it('Debug. Stepping beyond its end stands behind the call, with its value', async () => {
  await workbench.page.keyboard.press('Shift+F11');
  await workbench.debug.waitForStop('items_in_cart(2) → 1', 'cart.task.json');
  await workbench.screenshot('debug-stepped-out');
  await workbench.page.keyboard.press('F5');
  expect(await workbench.verdict()).toBe('1.00');
});

it('Debug. Pause stops in a function that loops, and the run is shown as paused', async () => {
  const { page } = workbench;
  await workbench.openFile('loop/loop.task.json');
  await workbench.lens('Debug').first().click();
  await expect.poll(() => workbench.panel.locator('.doing').innerText(), { timeout: 120_000 }).toContain('spins');
  await page
    .getByRole('button', { name: /^Pause/ })
    .first()
    .click();
  await workbench.debug.waitForStop('spins', 'loop.functions.ts');
  await expect.poll(() => workbench.debug.variables()).toMatch(/turns/);
  await expect.poll(() => workbench.panel.locator('.verdict-badge').innerText()).toContain('paused');
  await page.locator('.statusbar-item', { hasText: 'loop · paused' }).waitFor();
  await workbench.screenshot('debug-paused-in-loop');
  await page.keyboard.press('Shift+F5');
  await workbench.panel.locator('.verdict-badge', { hasText: 'cancelled' }).waitFor({ timeout: 120_000 });
});
