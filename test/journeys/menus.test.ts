import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from './workbench.ts';

let workbench: Workbench;

const TASK = { id: 'agree', prompt: 'Say yes.', gym: 'qa', evaluate: { function: 'response_includes', args: ['yes'] } };
const SAID = "send_msg_to_user('yes')";

const IDS = ['one', 'two', 'three'];
const SET = IDS.map((id) => ({
  id,
  prompt: 'Say yes to the xylophone.',
  gym: 'qa',
  evaluate: { function: 'response_includes', args: ['yes'] },
}));

beforeAll(async () => {
  const solutions = IDS.map((id) => [`three/${id}.actions`, `${SAID}\n`]);
  workbench = await Workbench.open({
    files: {
      'set/agree.task.json': JSON.stringify(TASK),
      'set/agree.actions': `${SAID}\n`,
      'three/three.tasks.json': JSON.stringify(SET),
      ...Object.fromEntries(solutions),
    },
  });
  await workbench.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await workbench.showTasks();
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

const copied = () => workbench.page.evaluate(() => navigator.clipboard.readText());
const runs = () => workbench.page.getByRole('treeitem', { name: /^run of agree, / });
const run = () => runs().first();

it('Menus: of a task', async () => {
  const { page } = workbench;
  const task = workbench.task('agree');
  const solution = page.getByRole('tab', { name: /^agree\.actions/, selected: true });
  await workbench.selectFromMenu(task, 'Open or Create Solution', solution);
  await expect.poll(() => page.locator('.view-lines').innerText()).toContain('send_msg_to_user');
  await workbench.selectFromMenu(task, 'Copy Address', task);
  await expect.poll(copied).toBe(`${join(workbench.folder, 'set', 'agree.task.json')}#agree`);
  const agents = page.locator('.quick-input-list');
  await workbench.selectFromMenu(task, 'Run Task with Agent…', agents, 'Run With');
  await expect.poll(() => agents.innerText()).toContain('Manual');
  await page.keyboard.press('Escape');
});

it('Menus: of a step in the panel', async () => {
  await workbench.runFromTree('agree');
  expect(await workbench.verdict()).toBe('1.00');
  const step = workbench.steps.filter({ hasText: 'yes' }).first();
  await workbench.selectFromMenu(step, 'Copy Action', step);
  await expect.poll(copied).toBe(SAID);
});

it('Menus: a command of the palette offers only what it can act on', async () => {
  const { page } = workbench;
  await workbench.closeEditors();
  const offered = page.locator('.quick-input-list').getByRole('option');
  const asked = (text: string) => page.locator('.quick-input-widget').getByPlaceholder(text);
  await workbench.command('Taskwright: Open Page in Browser');
  await asked('Select a task to open its page').waitFor();
  await offered.filter({ hasText: 'log-in' }).waitFor();
  expect(await offered.filter({ hasText: 'agree' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await workbench.command('Taskwright: Delete Run');
  await asked('Select a run to delete').waitFor();
  await expect.poll(() => offered.allInnerTexts()).toEqual([expect.stringContaining('agree')]);
  await page.keyboard.press('Escape');
  await workbench.command('Taskwright: Delete Job');
  await page.getByText('No job is eligible for this command.').first().waitFor();
});

it('Menus: a run is kept in the Runs view, and no longer kept in its panel', async () => {
  const { page } = workbench;
  await workbench.showTasks();
  await workbench.selectFromMenu(run(), 'Keep Run', page.getByRole('treeitem', { name: /^run of agree, .*, kept$/ }));
  await workbench.screenshot('kept-run');
  await run().click();
  await workbench.steps.filter({ hasText: 'yes' }).first().waitFor();
  await workbench.selectFromTitle('Stop Keeping Run');
  await expect.poll(() => run().getAttribute('aria-label')).not.toMatch(/kept$/);
  await workbench.selectFromTitle('Keep Run');
  await expect.poll(() => run().getAttribute('aria-label')).toMatch(/kept$/);
});

it('Menus: of a recorded run', async () => {
  const { page } = workbench;
  const file = page.locator('.quick-input-widget input[type=text]');
  await workbench.selectFromMenu(run(), 'Export as HUD Trajectory…', file);
  await expect.poll(() => file.inputValue()).toMatch(/agree-\w+\.trajectory\.json$/);
  await page.keyboard.press('Escape');
  const folder = page.locator('.explorer-folders-view').getByRole('treeitem', { name: /^agree-/ });
  await workbench.selectFromMenu(run(), 'Reveal Run Folder', folder);
  await workbench.showTasks();
  const before = await runs().count();
  await run().click();
  await workbench.steps.filter({ hasText: 'yes' }).first().waitFor();
  const trash = page.locator('.monaco-dialog-box').getByRole('button', { name: 'Move to Trash' });
  await workbench.selectFromMenu(run(), 'Delete Run', trash);
  await workbench.dismiss(trash);
  // The machine of a VS Code server has no trash.
  await workbench.dismiss(page.getByRole('button', { name: 'Delete Permanently' }));
  await expect.poll(() => runs().count()).toBe(before - 1);
  await workbench.panel.getByText('The run was deleted.').waitFor();
  await workbench.screenshot('deleted-run');
});

it('Menus: of the tree’s title; the documentation is in the package', async () => {
  const { page } = workbench;
  await workbench.command('View: Close All Editors');
  await workbench.selectFromTitle('Open Documentation', page.locator('.pane-header', { hasText: 'Tasks' }).first());
  await expect.poll(() => workbench.panel.getByRole('heading', { level: 1 }).innerText()).toBe('Taskwright');
});

it('Menus: of the Environments view’s title', async () => {
  const { page } = workbench;
  await workbench.command('Focus on Environments View');
  const title = page.locator('.pane-header.expanded', { hasText: 'Environments' });
  await workbench.selectFromTitle('Doctor', title);
  await expect.poll(() => workbench.activeTab()).toContain('Doctor');
  await workbench.selectFromTitle('Choose Where Tasks Run…', title);
  await expect.poll(() => page.locator('.quick-input-list').innerText()).toContain('This Machine');
  await page.keyboard.press('Escape');
  await workbench.selectFromTitle('Show Image Build Log', title);
  await expect.poll(() => page.locator('.panel select').first().inputValue()).toMatch(/^Taskwright/);
});

/** Presses the button above the tree, until the job's panel says what it runs. */
async function runAll(outcome: RegExp): Promise<void> {
  const title = workbench.page.locator('.pane-header', { hasText: 'Tasks' }).first();
  await title.hover();
  await title.getByRole('button', { name: 'Run All as a Job' }).click();
  const dialog = workbench.page.getByRole('dialog');
  await dialog.getByText('Run all 3 tasks as a job?').waitFor();
  await workbench.dismiss(dialog.getByRole('button', { name: 'Run', exact: true }));
  await expect.poll(() => workbench.panel.getByRole('heading').first().innerText()).toMatch(outcome);
}

async function filter(text: string, shown: string): Promise<void> {
  await workbench.command('Taskwright: Filter Tasks');
  await workbench.page.locator('.quick-input-widget input[type=text]').fill(text);
  await workbench.page.getByRole('option', { name: shown }).waitFor();
  await workbench.page.keyboard.press('Enter');
}

it('Run all: the button above the tree means the tasks that the tree shows', async () => {
  await workbench.closeEditors();
  await workbench.showTasks();
  await filter('xylophone', 'Show 3 Tasks');
  await runAll(/^3 tasks$/);
});

it('Run all: and not the one that has the focus', async () => {
  await workbench.task('two').click();
  await workbench.page.getByRole('tab', { name: /^three\.tasks\.json/, selected: true }).waitFor();
  await workbench.page.locator('.view-line', { hasText: 'xylophone' }).first().waitFor();
  await expect.poll(() => workbench.task('two').getAttribute('aria-selected')).toBe('true');
  await workbench.command('View: Close All Editors');
  await runAll(/^3 tasks$/);
});
