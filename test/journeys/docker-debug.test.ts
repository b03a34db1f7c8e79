import { afterAll, beforeAll, expect, it } from 'vitest';
import { inCi } from '../../scripts/in-ci.ts';
import { root } from '../../scripts/places.ts';
import { findDocker } from '../../src/placement/containers.ts';
import { describeLong } from '../sample.ts';
import { Workbench } from './workbench.ts';

const docker = await findDocker(root);
if (!docker.found && !inCi) process.stdout.write(`Debugging in Docker is skipped: ${docker.message}\n`);

/** The image may have to be built first. */
const FIRST_RUN = 900_000;

const CART = `{
  "id": "cart",
  "prompt": "Put two plums into the cart.",
  "gym": "hud-browser",
  "setup": ["load_html_content", "<title>Cart</title><ul><li>Plum<li>Plum</ul><button>More</button>"],
  "evaluate": [
    {"function": "items_in_cart", "args": [2]},
    {"function": "titled", "args": ["Cart"]}
  ]
}
`;

const SCRIPT = `import { defineFunction, z } from 'taskwright';

export const items_in_cart = defineFunction({
  args: z.tuple([z.number()]),
  async run({ page }, wanted) {
    const found = await page.locator('li').count();
    return { value: found === wanted, reason: \`\${found} of \${wanted}\` };
  },
});
`;

const PYTHON = `def titled(state, wanted: str) -> bool:
    title = state.title
    return title == wanted
`;

const LAUNCH = {
  version: '0.2.0',
  configurations: [
    {
      ...{ type: 'taskwright', request: 'launch', name: 'Cart in Docker' },
      ...{ task: '${workspaceFolder}/cart/cart.task.json#cart', placement: 'docker' },
    },
  ],
};

describeLong('Debug in Docker', { skip: !(docker.found || inCi) }, () => {
  let workbench: Workbench;

  beforeAll(async () => {
    workbench = await Workbench.open({
      files: {
        'cart/cart.task.json': CART,
        'cart/cart.functions.ts': SCRIPT,
        'cart/title.functions.py': PYTHON,
        'cart/cart.actions': "click('button')\n",
        '.vscode/launch.json': JSON.stringify(LAUNCH),
      },
    });
  });
  afterAll(() => workbench?.[Symbol.asyncDispose]());

  it(
    'Step Into enters functions in TypeScript and in Python in the container, in the files of the workspace',
    async () => {
      const { page } = workbench;
      await workbench.debug.stopAtCall('cart/cart.task.json', 'items_in_cart', FIRST_RUN);
      await workbench.panel.locator('.chip', { hasText: 'docker' }).waitFor();

      await page.keyboard.press('F11');
      await workbench.debug.waitForStop('cart.functions.ts', 'cart.functions.ts');
      await expect.poll(() => workbench.cursorLine()).toBe(6);
      await workbench.debug.evaluate('await page.title()');
      await page.locator('.repl .evaluation-result', { hasText: "'Cart'" }).waitFor();
      await page.keyboard.press('Shift+F11');
      await workbench.debug.waitForStop('items_in_cart(2) → 1', 'cart.task.json');

      await page.keyboard.press('F10');
      await workbench.debug.waitForStop('titled("Cart")', 'cart.task.json');
      await page.keyboard.press('F11');
      await workbench.debug.waitForStop('title.functions.py', 'title.functions.py');
      await expect.poll(() => workbench.cursorLine()).toBe(2);
      await workbench.debug.evaluate('page.locator("li").count()');
      await page.locator('.repl .evaluation-result', { hasText: '2' }).last().waitFor();
      await workbench.screenshot('debug-step-into-docker');
      await page.keyboard.press('Shift+F11');
      await workbench.debug.waitForStop('titled("Cart") → 1', 'cart.task.json');
      await page.keyboard.press('F5');
      expect(await workbench.verdict()).toBe('1.00');
    },
    FIRST_RUN,
  );
});
