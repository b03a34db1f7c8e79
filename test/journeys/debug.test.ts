import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itLong } from '../sample.ts';
import { hasPython, pythonEnvironment } from '../system/python.ts';
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

const PYTHON = `def count(text: str, word: str) -> int:
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

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open({
    files: {
      'order/order.task.json': ORDER,
      'order/order.actions': "click('button')\n",
      'cart/cart.task.json': CART,
      'cart/cart.functions.ts': FUNCTIONS,
      'cart/cart.actions': "click('button')\n",
      'loop/loop.task.json': JSON.stringify(LOOP),
      'loop/loop.functions.ts': SPINS,
      'loop/loop.actions': "response('done')\n",
      'basket/basket.task.json': CART,
      'basket/basket.functions.py': PYTHON,
      'basket/cart.actions': "click('button')\n",
      'basket/count.task.json': COUNT,
      'basket/count.actions': "click('button')\n",
      'basket/count.py': CLASS,
    },
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it('Debug. F5 stops at an evaluate call in the task file', async () => {
  await workbench.debug.stopAtCall('order/order.task.json', 'page_contains');
  await expect
    .poll(() => workbench.debug.stack.allInnerTexts())
    .toEqual([
      expect.stringContaining('page_contains("Thank you")'),
      expect.stringContaining("step 1: click('button')"),
      expect.stringContaining('order (order.task.json)'),
    ]);
  await expect.poll(() => workbench.cursorLine()).toBe(7);
});

it('Debug. The console asks the live page', async () => {
  await workbench.debug.evaluate('page_contains("Thanks1")');
  const console = workbench.page.locator('.repl .monaco-list-row');
  await expect.poll(async () => (await console.allInnerTexts()).join('\n')).toContain('1 (“Thanks1” can be read');
});

it('Debug. The call under the pointer is asked of the live page', async () => {
  // A widget of VS Code's own, with the call and what it comes to.
  const hover = workbench.page.locator('.debug-hover-widget');
  const call = workbench.page.locator('.view-line').getByText('page_contains');
  const shows = async (): Promise<boolean> => {
    await workbench.page.mouse.move(0, 0);
    await call.hover();
    return hover.waitFor({ timeout: 10_000 }).then(
      () => true,
      () => false,
    );
  };
  await expect.poll(shows).toBe(true);
  await expect.poll(() => hover.innerText()).toMatch(/^0 \(not on the page\)/);
  await workbench.screenshot('debug-hover');
  await workbench.page.mouse.move(0, 0);
});

it('Debug. An edited argument is tried without a new run, and is right', async () => {
  await workbench.clickText('page_contains');
  await workbench.page.keyboard.press('Control+G');
  await workbench.page.keyboard.type('7:50');
  await workbench.page.keyboard.press('Enter');
  for (let at = 0; at < ' you'.length; at += 1) await workbench.page.keyboard.press('Delete');
  await workbench.page.keyboard.type('s');
  await workbench.page.keyboard.press('Escape');
  const call = workbench.debug.stack.filter({ hasText: 'page_contains' });
  await call.hover();
  await call.getByRole('button', { name: 'Restart Frame' }).click();
  await expect.poll(() => call.innerText()).toContain('page_contains("Thanks") → 1');
  await workbench.screenshot('debug-again');
  await workbench.page.keyboard.press('F5');
  expect(await workbench.verdict()).toBe('1.00');
  // The call stands for what it was evaluated with, in the panel and in the file.
  await expect.poll(() => workbench.verdicts.first().innerText()).toContain('page_contains("Thanks")');
  await expect.poll(() => workbench.verdicts.first().innerText()).toContain('line 7');
  await expect.poll(() => workbench.inlineValues()).toContain('✓');
});

/** The address of the picture that the panel shows of the step. */
const picture = async () => (await workbench.panel.locator('.shot-picture').last().getAttribute('src')) ?? '';

it('Debug. A recorded run is gone along backwards, and the panel follows with its picture', async () => {
  await workbench.command('Taskwright: Replay Run in Debugger');
  await workbench.page.getByText('Paused on entry').first().waitFor();
  await expect.poll(() => workbench.selectedStep.innerText()).toContain('load_html_content');
  await expect.poll(picture).toMatch(/./);
  const earlier = await picture();
  await workbench.page.keyboard.press('F10');
  await expect.poll(() => workbench.selectedStep.innerText()).toContain('click');
  await expect.poll(picture).not.toBe(earlier);
  await workbench.page.getByRole('button', { name: 'Step Back' }).click();
  await expect.poll(() => workbench.selectedStep.innerText()).toContain('load_html_content');
  await expect.poll(picture).toBe(earlier);
  await workbench.screenshot('debug-back');
});

it('Debug. A step that is chosen in the panel is where the debugger goes', async () => {
  await workbench.steps.nth(1).click();
  await expect.poll(async () => (await workbench.debug.stack.allInnerTexts())[0]).toContain("step 1: click('button')");
  await workbench.steps.nth(2).click();
  await expect
    .poll(async () => (await workbench.debug.stack.allInnerTexts())[0])
    .toContain('page_contains("Thanks") → 1');
  await expect.poll(() => workbench.cursorLine()).toBe(7);
  await expect.poll(() => workbench.selectedStep.innerText()).toContain('page_contains');
  await workbench.screenshot('debug-led');
});

it('Debug. Step Into enters a function of the person’s, on its first line', async () => {
  await workbench.command('Debug: Stop');
  await workbench.page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  await workbench.closeEditors();
  await workbench.debug.stopAtCall('cart/cart.task.json', 'items_in_cart');
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

itLong('Debug. Pause stops in a function that loops, and the run is shown as paused', async () => {
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

describe.runIf(hasPython('stepping into functions in Python', 'debugpy'))('Debug in Python', () => {
  beforeAll(async () => {
    // The server of VS Code has the PATH of a login, which may lead to another Python.
    await symlink(pythonEnvironment(), join(workbench.folder, 'basket', '.venv'));
  });

  it('Step Into enters a function of the person’s, on its first line', async () => {
    await workbench.closeEditors();
    await workbench.debug.stopAtCall('basket/basket.task.json', 'items_in_cart');
    await workbench.page.keyboard.press('F11');
    await workbench.debug.waitForStop('basket.functions.py', 'basket.functions.py');
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
    await workbench.debug.waitForStop('items_in_cart(2) → 1', 'basket.task.json');
    await workbench.screenshot('debug-stepped-out-python');
    await workbench.page.keyboard.press('F5');
    expect(await workbench.verdict()).toBe('1.00');
  });

  itLong('a breakpoint in it stops there', async () => {
    await workbench.openFile('basket/basket.functions.py');
    await workbench.clickText('right = found');
    await workbench.page.keyboard.press('F9');
    await workbench.openFile('basket/basket.task.json');
    await workbench.clickText('page_contains');
    await workbench.debug.start();
    await expect.poll(() => workbench.debug.stackText()).toContain('items_in_cart(2)');
    await workbench.page.keyboard.press('F5');
    await workbench.debug.waitForStop('basket.functions.py', 'basket.functions.py');
    await expect.poll(() => workbench.cursorLine()).toBe(7);
    await workbench.page.keyboard.press('F5');
    expect(await workbench.verdict()).toBe('1.00');
  });

  itLong(
    'a breakpoint in the class of a task stops before the first action, and in the action that it judges',
    async () => {
      await workbench.openFile('basket/count.py');
      for (const line of ['return "<button', 'return int']) {
        await workbench.clickText(line);
        await workbench.page.keyboard.press('F9');
      }
      await workbench.openFile('basket/count.task.json');
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
    },
  );

  itLong('a class that is edited counts in the next run, which saves its file', async () => {
    await workbench.openFile('basket/count.py');
    await workbench.clickText('return int');
    await workbench.page.keyboard.press('End');
    await workbench.page.keyboard.type(' / 4');
    await workbench.openFile('basket/count.task.json');
    await workbench.lens('Run').first().click();
    await expect.poll(() => workbench.verdict(), { timeout: 120_000 }).toBe('0.25');
    expect(await readFile(join(workbench.folder, 'basket', 'count.py'), 'utf8')).toContain('return int(pressed) / 4\n');
  });
});
