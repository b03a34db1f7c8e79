import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from './workbench.ts';

let workbench: Workbench;

beforeAll(async () => {
  // Read only where the folder is a root of its own.
  workbench = await Workbench.open({ files: { 'shop/.vscode/settings.json': '{ "taskwright.codeLens": false }' } });
  await workbench.showTasks();
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

const quick = (): Locator => workbench.page.locator('.quick-input-widget');
const field = (): Locator => quick().locator('input[type=text]');
const text = (path: string): Promise<string> => readFile(join(workbench.folder, path), 'utf8');

async function pick(words: RegExp): Promise<void> {
  await quick().getByRole('option', { name: words }).first().click();
}

/** Writes into the question of these words, once it is asked. */
async function write(question: string, answer: string): Promise<void> {
  await quick().getByText(question).waitFor();
  await field().fill(answer);
}

async function answer(question: string, words: string): Promise<void> {
  await write(question, words);
  await field().press('Enter');
}

/** Goes back to the question of these words; a click that the window lost while it drew the question is repeated. */
async function back(question: string): Promise<void> {
  const isAsked = async (): Promise<boolean> => (await quick().innerHTML()).includes(question);
  const button = quick().getByRole('button', { name: 'Back' });
  await expect
    .poll(
      async () => {
        await button.click();
        return expect
          .poll(isAsked, { timeout: 20_000 })
          .toBe(true)
          .then(
            () => true,
            () => false,
          );
      },
      { timeout: 120_000 },
    )
    .toBe(true);
}

it('New task: questions lead to a task in a file of its own, with the cursor on what to write next', async () => {
  await workbench.command('New Task…');
  await pick(/Website/);
  await pick(/New YAML File, in tasks/);
  await answer('Task id', 'first');
  await quick().getByText('URL of the start page').waitFor();
  await workbench.screenshot('new-task');

  // The way back keeps what was answered, and another choice leads elsewhere.
  for (const question of ['Task id', 'Select a file for the task', 'Select the environment']) await back(question);
  await pick(/Question/);
  await pick(/New JSON File, in tasks/);
  await quick().getByText('Task id').waitFor();
  expect(await field().inputValue()).toBe('first');
  await write('Task id', 'a/b');
  await quick().getByText('is not allowed in an ID').waitFor();
  await answer('is not allowed in an ID', 'largest');
  await answer('Prompt: what the agent should do', 'Which is the largest planet?');
  await pick(/response_includes/);

  await workbench.task('largest').waitFor();
  await workbench.page.keyboard.type('Jupiter');
  await expect
    .poll(() =>
      workbench.page
        .locator('.view-lines')
        .innerText()
        .then((shown) => shown.replaceAll('\u00a0', ' ')),
    )
    .toContain('"args": ["Jupiter"]');
  await workbench.screenshot('new-task-written');
  expect(JSON.parse(await text('largest.tasks.json'))).toMatchObject([{ id: 'largest', gym: 'qa' }]);
  expect(await workbench.problems()).toEqual({ errors: 0, warnings: 0 });
});

it('New task: a HUD environment with a template, and the words of how to install HUD', async () => {
  // A Python without HUD, whichever this machine has.
  const found = { version: '3.12.0', playwright: false, pytest: false, debugpy: false, hud: false };
  const bin = join(workbench.folder, '.venv', 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'python3'), `#!/bin/sh\necho '${JSON.stringify(found)}'\n`, { mode: 0o755 });
  await workbench.command('New Task…');
  await quick()
    .getByRole('option', { name: /HUD environment/ })
    .waitFor();
  await workbench.screenshot('new-task-environments');
  await pick(/HUD environment/);
  await pick(/New JSON File, in tasks/);
  await answer('Task id', 'raspberry');
  await workbench.page.getByText('To run this task, install HUD 0.6').first().waitFor();
  await workbench.screenshot('new-hud-environment');
  expect(JSON.parse(await text('raspberry.tasks.json'))).toEqual([
    { env: 'letter-count', id: 'count', args: { word: 'raspberry', letter: 'r' }, slug: 'raspberry' },
  ]);
  expect(await text('env.py')).toContain('Environment(name="letter-count")');
  expect(await workbench.problems()).toEqual({ errors: 0, warnings: 0 });
});

it('New task: at the end of a file that is there, in its own format', async () => {
  await workbench.command('New Task…');
  await pick(/HTML page/);
  await pick(/shop\.taskset\.yaml/);
  await write('Task id', 'pay-by-invoice');
  await quick().getByText('The ID “pay-by-invoice” already exists').waitFor();
  await answer('already', 'return-it');
  await pick(/^shop\.html/);
  await answer('Prompt: what the agent should do', 'Send the lamp back.');
  await pick(/page_contains/);
  await workbench.task('return-it').waitFor();
  await workbench.page.keyboard.press('Control+S');
  await expect.poll(() => text('shop/shop.taskset.yaml')).toMatch(/- id: return-it\n +prompt: .*Send the lamp back/);
});

it('Duplicate and delete: a copy right below under a free id; deleting asks what becomes of the solution', async () => {
  await workbench.selectFromMenu(workbench.task('log-in'), 'Duplicate Task', workbench.task('log-in-2'));
  await workbench.page.keyboard.press('Control+S');
  await expect
    .poll(async () => JSON.parse(await text('login/login.taskset.json')).tasks.map(({ id }: { id: string }) => id))
    .toEqual(['log-in', 'log-in-2', 'say-why-not']);

  const remove = workbench.page.getByRole('button', { name: 'Delete Task', exact: true });
  await workbench.selectFromMenu(workbench.task('log-in-2'), 'Delete Task', remove);
  await remove.click();
  await expect.poll(() => workbench.task('log-in-2').count()).toBe(0);

  const both = workbench.page.getByRole('button', { name: 'Delete Task and Solution' });
  await workbench.selectFromMenu(workbench.task('say-why-not'), 'Delete Task', both);
  await workbench.screenshot('delete-task');
  await both.click();
  // The machine of a VS Code server has no trash.
  await workbench.dismiss(workbench.page.getByRole('button', { name: 'Delete Permanently' }));
  await expect.poll(() => workbench.filesIn('login')).not.toContain('say-why-not.actions');
  await expect
    .poll(async () => JSON.parse(await text('login/login.taskset.json')).tasks.map(({ id }: { id: string }) => id))
    .toEqual(['log-in']);
});

it('Several roots: the tree, the settings and a new task know each folder', async () => {
  await workbench.openRoots(['shop', 'login']);
  await workbench.showTasks();
  for (const name of ['shop', 'login']) {
    await workbench.page.getByRole('treeitem', { name: new RegExp(`^${name}, \\d+ task`) }).waitFor();
  }
  await workbench.openFile('login.taskset.json');
  await workbench.lens('Run').first().waitFor();
  await workbench.openFile('shop.taskset.yaml');
  await workbench.page.locator('.view-lines').getByText('pay-by-invoice').first().waitFor();
  await workbench.command('New Task…');
  await pick(/Question/);
  await quick()
    .getByRole('option', { name: /New JSON File, in login/ })
    .waitFor();
  await workbench.screenshot('several-roots');
  // Those of the file behind the question would have come by now.
  expect(await workbench.lens('Run').count()).toBe(0);
  await pick(/New JSON File, in login/);
  await answer('Task id', 'largest');
  await answer('Prompt: what the agent should do', 'Which is the largest planet?');
  await pick(/response_is/);
  await workbench.task('largest').waitFor();
  expect(await workbench.filesIn('login')).toContain('largest.tasks.json');
});
