import { afterAll, beforeAll, expect, it } from 'vitest';
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

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open({
    files: { 'order/order.task.json': ORDER, 'order/order.actions': "click('button')\n" },
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it('Debug. F5 stops at an evaluate call in the task file', async () => {
  await workbench.openFile('order/order.task.json');
  await workbench.lens('Debug').first().waitFor();
  await workbench.clickText('page_contains');
  await workbench.page.keyboard.press('F9');
  await workbench.page.keyboard.press('F5');
  await workbench.page.getByText('Paused on breakpoint').waitFor();
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
    return hover.waitFor({ timeout: 3_000 }).then(
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
const picture = async () =>
  (await workbench.panel.locator('.shot-picture').last().getAttribute('src', { timeout: 5_000 })) ?? '';

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
