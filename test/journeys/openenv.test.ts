import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { root } from '../../scripts/places.ts';
import { itLong } from '../sample.ts';
import { hasPython, pythonEnvironment } from '../system/python.ts';
import { CLICK_MS, untilGone } from './until-gone.ts';
import { Workbench } from './workbench.ts';

const maze = {
  id: 'by-form',
  prompt: 'Walk to the exit of the maze.',
  gym: { type: 'openenv', folder: '../openenv/maze', task: 'first-steps' },
  evaluate: { function: 'observation_matches', args: ['message', 'You are out.'] },
};
const any = [{ id: 'any', prompt: 'Answer.', gym: { type: 'openenv', folder: './dataset' } }];

const hasOpenEnv = hasPython('OpenEnv environments in a window', 'openenv.core');
let workbench: Workbench;
beforeAll(async () => {
  if (!hasOpenEnv) return;
  const dataset = join(root, 'test', 'fixtures', 'openenv', 'dataset');
  workbench = await Workbench.open({
    examples: ['openenv'],
    files: {
      'hand/maze.task.json': `${JSON.stringify(maze, null, 2)}\n`,
      'arithmetic/any.tasks.json': `${JSON.stringify(any, null, 2)}\n`,
      'arithmetic/dataset/openenv.yaml': await readFile(join(dataset, 'openenv.yaml'), 'utf8'),
      'arithmetic/dataset/server/app.py': await readFile(join(dataset, 'server', 'app.py'), 'utf8'),
    },
  });
  await symlink(pythonEnvironment(), join(workbench.folder, '.venv'));
});
beforeEach(({ skip }) => skip(!hasOpenEnv));
afterAll(() => workbench?.[Symbol.asyncDispose]());

/** Starting the environment takes a slow machine a while. */
const SLOW = { timeout: 120_000 };

it('OpenEnv: the folder of an environment is opened, and Run starts its server', async () => {
  await workbench.openFile('openenv/maze/openenv.yaml');
  await workbench.openFile('hand/maze.task.json');
  await expect.poll(() => workbench.problems(), SLOW).toEqual({ errors: 0, warnings: 0 });
  await workbench.lens('Run').first().click();
  await workbench.panel.getByRole('form', { name: 'Action' }).getByLabel('move', { exact: true }).waitFor(SLOW);
  await expect.poll(() => workbench.panel.locator('.observed table.board').count(), SLOW).toBe(1);
});

it('OpenEnv: the task is solved by hand with the form', async () => {
  const form = workbench.panel.getByRole('form', { name: 'Action' });
  await workbench.screenshotInThemes('openenv-form');
  for (const [index, move] of ['DOWN', 'DOWN', 'RIGHT', 'RIGHT', 'RIGHT'].entries()) {
    await form.getByLabel('move', { exact: true }).selectOption(move);
    await form.getByRole('button', { name: 'Send Action' }).click();
    await expect.poll(() => workbench.steps.count(), SLOW).toBeGreaterThanOrEqual(index + 2);
  }
  expect(await workbench.verdict()).toBe('1.00');
  await expect.poll(() => form.isVisible()).toBe(false);
});

it('OpenEnv: its trace shows each observation as a board with what changed', async () => {
  await workbench.steps.nth(2).click();
  await workbench.panel.getByRole('tab', { name: 'Observation' }).click();
  await expect.poll(() => workbench.panel.locator('.observed td.is-changed').count(), SLOW).toBe(2);
  await workbench.screenshotInThemes('openenv-trace');
});

itLong('OpenEnv: an action is completed, described, and checked by the schema of the environment', async () => {
  const { page } = workbench;
  const solution = join(workbench.folder, 'openenv', 'first-steps.actions');
  const text = await readFile(solution, 'utf8');
  await workbench.openFile('openenv/first-steps.actions');
  await workbench.clickText('Along the upper edge');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('{');
  const offered = page.locator('.suggest-widget .monaco-list-row');
  const offer = async (label: string) => {
    await page.keyboard.press('Control+Space');
    await offered.filter({ hasText: label }).first().waitFor(SLOW);
  };
  await offer('move');
  await page.keyboard.press('Tab');
  // The value is chosen from those of the schema.
  const left = offered.filter({ hasText: 'LEFT' }).first();
  await left.waitFor(SLOW);
  await workbench.screenshot('openenv-completion');
  await untilGone(left, () => left.click({ timeout: CLICK_MS }));
  await page.locator('.view-line', { hasText: '{"move": "LEFT"}' }).waitFor(SLOW);
  await expect.poll(() => workbench.problems(), SLOW).toEqual({ errors: 0, warnings: 0 });
  await page.locator('.view-line').getByText('"move"').last().hover();
  await page.locator('.monaco-hover').getByText('The direction of the next step').first().waitFor(SLOW);
  await workbench.screenshot('openenv-hover');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\n{"move": "UPWARD"');
  await expect.poll(() => workbench.problems(), SLOW).toEqual({ errors: 1, warnings: 0 });
  // A change of the file outside the editor could come while VS Code saves it, which keeps the text of the editor.
  await page.keyboard.press('Control+Shift+K');
  await page.keyboard.press('Control+Shift+K');
  await expect.poll(() => workbench.problems(), SLOW).toEqual({ errors: 0, warnings: 0 });
  await expect.poll(async () => (await readFile(solution, 'utf8')).trimEnd(), SLOW).toBe(text.trimEnd());
});

itLong('OpenEnv: a run stops at a breakpoint in the code of the environment', async () => {
  const { page } = workbench;
  await workbench.closeEditors();
  await workbench.openFile('openenv/maze/server/app.py');
  await workbench.clickText('A game with levels');
  await page.keyboard.press('Control+G');
  await page.keyboard.type('72');
  await page.keyboard.press('Enter');
  await workbench.clickText('state.row, state.column = row, column');
  await page.keyboard.press('F9');
  await workbench.openFile('openenv/openenv.tasks.json');
  await workbench.lens('Debug').first().click();
  // OpenEnv makes steps in a thread of their own, whose stack the editor does not unfold beside another one.
  await page.locator('.debug-call-stack').getByText('Paused on breakpoint').first().waitFor(SLOW);
  await expect.poll(() => workbench.cursorLine(), SLOW).toBe(72);
  await workbench.debug.evaluate('(row, column)');
  await page.locator('.repl .evaluation-result', { hasText: '(0, 1)' }).waitFor(SLOW);
  await workbench.screenshotInThemes('openenv-debugged');
  await workbench.clickText('state.row, state.column = row, column');
  await page.keyboard.press('F9');
  await page.keyboard.press('F5');
  expect(await workbench.verdict()).toBe('1.00');
});

/** Shows the own tasks of the environment in the tree. */
async function showOwnTasks(): Promise<void> {
  await workbench.showTasks();
  const item = (name: RegExp) => workbench.page.getByRole('treeitem', { name });
  const nodes = [item(/^train/).first(), item(/^0–999/).first(), item(/^task of the environment train-1,/)];
  for (const [at, parent] of [workbench.task('any'), ...nodes.slice(0, 2)].entries()) {
    const child = nodes[at] ?? parent;
    await parent.waitFor(SLOW);
    if (!(await child.isVisible())) await parent.locator('.monaco-tl-twistie').click(SLOW);
    await child.waitFor(SLOW);
  }
}

itLong('OpenEnv: the tasks of an environment are browsed in the tree', async () => {
  await showOwnTasks();
  await workbench.page.getByRole('treeitem', { name: /train-1, not run yet$/ }).waitFor(SLOW);
  await workbench.screenshot('openenv-own-tasks');
});

itLong('OpenEnv: a task of the environment is run, and run again, without a change of a file', async () => {
  const form = workbench.panel.getByRole('form', { name: 'Action' });
  const answer = async (number: string) => {
    await form.getByLabel('number', { exact: true }).fill(number, SLOW);
    await form.getByRole('button', { name: 'Send Action' }).click();
    return await workbench.verdict();
  };
  const own = (result: string) => workbench.page.getByRole('treeitem', { name: new RegExp(`train-1, ${result}$`) });
  await workbench.selectFromMenu(own('not run yet'), 'Run Task', form);
  expect(await answer('1')).toBe('0.00');
  await own('failed, reward 0.00').waitFor(SLOW);
  await workbench.command('Taskwright: Rerun');
  expect(await answer('2')).toBe('1.00');
  await own('passed, reward 1.00').waitFor(SLOW);
  await workbench.screenshot('openenv-own-task-run');
  const path = join(workbench.folder, 'arithmetic', 'any.tasks.json');
  expect(await readFile(path, 'utf8')).toBe(`${JSON.stringify(any, null, 2)}\n`);
});

itLong('OpenEnv: a run of a task of the environment becomes its solution, with which it is debugged', async () => {
  const { page } = workbench;
  await workbench.panel.locator('.manual-bar').getByText('Save as Solution').click();
  await page.getByText('Saved; replayed: 1.00').first().waitFor(SLOW);
  const files = await readdir(join(workbench.folder, 'arithmetic'));
  const solution = files.find((name) => name.endsWith('-train-1.actions')) ?? '';
  await workbench.openFile(`arithmetic/${solution}`);
  await workbench.clickText('"number"');
  await page.keyboard.press('F9');
  await workbench.showTasks();
  const own = page.getByRole('treeitem', { name: /train-1, passed, reward 1.00$/ });
  await workbench.selectFromMenu(own, 'Debug Task', page.getByText('Paused on breakpoint'));
  await expect.poll(() => workbench.debug.stackText(), SLOW).toContain('step 1');
  await workbench.screenshot('openenv-own-task-debugged');
  await page.keyboard.press('F5');
  await page.locator('.debug-toolbar').waitFor({ state: 'hidden', ...SLOW });
  await showOwnTasks();
  await own.waitFor(SLOW);
});

itLong('OpenEnv: a task of the environment is copied into the task file', async () => {
  const own = workbench.page.getByRole('treeitem', { name: /^task of the environment train-1,/ });
  const copy = workbench.page.locator('.view-line', { hasText: '"train-1"' }).first();
  await showOwnTasks();
  await workbench.selectFromMenu(own, 'Copy to Task File', copy);
  const read = async () => JSON.parse(await readFile(join(workbench.folder, 'arithmetic', 'any.tasks.json'), 'utf8'));
  const gym = { type: 'openenv', folder: './dataset', reset: { split: 'train', index: 1 } };
  await expect.poll(read, SLOW).toMatchObject([any[0], { id: 'train-1', gym }]);
});
