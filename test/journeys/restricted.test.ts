import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/places.ts';
import { Workbench } from './workbench.ts';

const TASK = `{
  "id": "order",
  "prompt": "Order it.",
  "gym": "hud-browser",
  "setup": ["load_html_content", "<p>Thanks</p>"],
  "evaluate": [{"function": "page_contains", "args": ["Thanks"]}]
}
`;

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open({
    restricted: true,
    files: { 'order/order.task.json': TASK, 'order/order.actions': 'noop(1)\n' },
  });
  // Made before the folder came here, by somebody who trusts it.
  const args = [join(root, 'dist', 'cli.js'), 'run', 'order/order.task.json'];
  await promisify(execFile)(process.execPath, args, { cwd: workbench.folder });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

const asked = () => workbench.page.getByText('Trust the workspace first').first();

it('Restricted mode. A recorded run is looked at, and its curve is drawn only where the folder is trusted', async () => {
  await workbench.showTasks();
  await workbench.page
    .getByRole('treeitem', { name: /order.*1\.00/ })
    .last()
    .click();
  await workbench.panel.getByRole('heading', { name: 'order' }).waitFor();
  expect(await workbench.verdict()).toBe('1.00');
  const curve = workbench.panel.getByRole('button', { name: 'Reward at Each Step' });
  await curve.click();
  await asked().waitFor();
  await workbench.screenshot('restricted-curve');
  // It can be asked for again, and nothing was judged meanwhile.
  await workbench.page.keyboard.press('Escape');
  await curve.waitFor();
  expect(await workbench.panel.getByText('Re-scoring each step').isVisible()).toBe(false);
  expect(await workbench.panel.getByRole('slider', { name: 'Reward at each step' }).isVisible()).toBe(false);
});

it('Restricted mode. Once it is trusted the curve is drawn', async () => {
  await workbench.command('Workspaces: Manage Workspace Trust');
  await workbench.page.getByRole('button', { name: 'Trust', exact: true }).click();
  // The page of trust stands before all others until it is closed.
  const page = workbench.page.locator('.monaco-modal-editor-block');
  await page
    .getByRole('button', { name: /^Close/ })
    .first()
    .click();
  await workbench.panel.getByRole('button', { name: 'Reward at Each Step' }).click();
  const curve = workbench.panel.getByRole('slider', { name: 'Reward at each step' });
  await expect.poll(() => curve.isVisible()).toBe(true);
});
