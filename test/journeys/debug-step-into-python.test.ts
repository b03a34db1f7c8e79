import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPython, pythonEnvironment } from '../system/python.ts';
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

const FUNCTIONS = `def count(text: str, word: str) -> int:
    return text.split().count(word)


def items_in_cart(state, wanted: int) -> dict:
    found = count(state.text, "Plum")
    right = found == wanted
    return {"value": right, "reason": f"{found} of {wanted}"}
`;

const COUNT = `{
  "id": "count",
  "prompt": "Press the button.",
  "gym": {"type": "browsergym", "benchmark": "custom", "task_name": "count"}
}
`;

const CLASS = `@register_custom_task("count")
class Count(CustomBrowserGymEnvironment):
    def _get_html_content(self):
        return "<button onclick='n.textContent++'>Press</button> <b id=n>0</b>"

    def _calculate_reward(self, page_data, action, error):
        pressed = page_data["text"].split()[-1]
        return int(pressed)

    def _check_done(self, page_data):
        return False
`;

describe.runIf(hasPython('stepping into functions in Python', 'debugpy'))('Debug in Python', () => {
  let workbench: Workbench;

  beforeAll(async () => {
    workbench = await Workbench.open({
      files: {
        'cart/cart.task.json': CART,
        'cart/cart.functions.py': FUNCTIONS,
        'cart/cart.actions': "click('button')\n",
        'cart/count.task.json': COUNT,
        'cart/count.actions': "click('button')\n",
        'cart/count.py': CLASS,
      },
    });
    // The server of VS Code has the PATH of a login, which may lead to another Python.
    await symlink(pythonEnvironment(), join(workbench.folder, 'cart', '.venv'));
  });
  afterAll(() => workbench?.[Symbol.asyncDispose]());

  it('Step Into enters a function of the person’s, on its first line', async () => {
    await workbench.openFile('cart/cart.task.json');
    await workbench.lens('Debug').first().waitFor();
    await workbench.clickText('items_in_cart');
    await workbench.page.keyboard.press('F9');
    await workbench.page.keyboard.press('F5');
    await workbench.page.getByText('Paused on breakpoint').waitFor();
    await workbench.page.keyboard.press('F11');
    await workbench.debug.waitForStop('cart.functions.py', 'cart.functions.py');
    await expect.poll(() => workbench.cursorLine()).toBe(6);
    await expect.poll(() => workbench.debug.variables()).toMatch(/wanted\s*[:=]\s*2/);
    await workbench.debug.evaluate('await page.locator("li").first.text_content()');
    await workbench.page.locator('.repl .evaluation-result', { hasText: 'Plum' }).waitFor();
    await workbench.screenshot('debug-step-into-python');
  });

  it('it is stepped through, and into what it calls, for as long as the person likes', async () => {
    await workbench.page.keyboard.press('F11');
    await expect.poll(() => workbench.cursorLine()).toBe(2);
    await expect.poll(() => workbench.debug.variables()).toMatch(/word\s*[:=]\s*'Plum'/);
    await workbench.page.keyboard.press('Shift+F11');
    await expect.poll(() => workbench.cursorLine()).toBe(6);
    await workbench.page.keyboard.press('F10');
    await expect.poll(() => workbench.cursorLine()).toBe(7);
    await expect.poll(() => workbench.debug.variables()).toMatch(/found\s*[:=]\s*2/);
  });

  it('stepping beyond its end stands behind the call, with its value', async () => {
    await workbench.page.keyboard.press('Shift+F11');
    await workbench.debug.waitForStop('items_in_cart(2) → 1', 'cart.task.json');
    await workbench.screenshot('debug-stepped-out-python');
    await workbench.page.keyboard.press('F5');
    expect(await workbench.verdict()).toBe('1.00');
  });

  it('a breakpoint in it stops there', async () => {
    await workbench.openFile('cart/cart.functions.py');
    await workbench.clickText('right = found');
    await workbench.page.keyboard.press('F9');
    await workbench.openFile('cart/cart.task.json');
    await workbench.clickText('page_contains');
    await workbench.page.keyboard.press('F5');
    await workbench.page.getByText('Paused on breakpoint').waitFor();
    await expect.poll(() => workbench.debug.stackText()).toContain('items_in_cart(2)');
    await workbench.page.keyboard.press('F5');
    await workbench.debug.waitForStop('cart.functions.py', 'cart.functions.py');
    await expect.poll(() => workbench.cursorLine()).toBe(7);
    await workbench.page.keyboard.press('F5');
    expect(await workbench.verdict()).toBe('1.00');
  });

  it('a breakpoint in the class of a task stops before the first action, and in the action that it judges', async () => {
    await workbench.openFile('cart/count.py');
    for (const line of ['return "<button', 'return int']) {
      await workbench.clickText(line);
      await workbench.page.keyboard.press('F9');
    }
    await workbench.openFile('cart/count.task.json');
    await workbench.lens('Debug').first().click();
    await workbench.debug.waitForStop('count.py', 'count.py');
    await expect.poll(() => workbench.cursorLine()).toBe(4);
    await workbench.page.keyboard.press('F5');
    // The class judges the first page.
    await expect.poll(() => workbench.cursorLine()).toBe(8);
    await expect.poll(() => workbench.debug.variables()).toMatch(/pressed\s*[:=]\s*'0'/);
    await workbench.page.keyboard.press('F5');
    await expect.poll(() => workbench.debug.variables()).toMatch(/pressed\s*[:=]\s*'1'/);
    await workbench.page.keyboard.press('F5');
    expect(await workbench.verdict()).toBe('1.00');
  });

  it('a class that is edited counts in the next run, which saves its file', async () => {
    await workbench.openFile('cart/count.py');
    await workbench.clickText('return int');
    await workbench.page.keyboard.press('End');
    await workbench.page.keyboard.type(' / 4');
    await workbench.openFile('cart/count.task.json');
    await workbench.lens('Run').first().click();
    await expect.poll(() => workbench.verdict(), { timeout: 120_000 }).toBe('0.25');
    expect(await readFile(join(workbench.folder, 'cart', 'count.py'), 'utf8')).toContain('return int(pressed) / 4\n');
  });
});
