import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from './workbench.ts';

let workbench: Workbench;

const IDS = ['one', 'two', 'three'];
const SET = IDS.map((id) => ({
  id,
  prompt: 'Say yes to the xylophone.',
  gym: 'qa',
  evaluate: { function: 'response_includes', args: ['yes'] },
}));

beforeAll(async () => {
  const solutions = IDS.map((id) => [`set/${id}.actions`, "send_msg_to_user('yes')\n"]);
  workbench = await Workbench.open({
    files: { 'set/three.tasks.json': JSON.stringify(SET), ...Object.fromEntries(solutions) },
  });
  await workbench.showTasks();
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

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
