import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Workbench } from './workbench.ts';

const QUIZ = [
  { id: 'lamps', prompt: 'How many lamps?', gym: 'qa', tags: ['shop'], evaluate: ['response_is', '2 lamps'] },
  { id: 'chairs', prompt: 'How many chairs?', gym: 'qa', tags: ['shop'], evaluate: ['response_is', '4 chairs'] },
  { id: 'tables', prompt: 'How many tables?', gym: 'qa', evaluate: ['response_is', '1 table'] },
];

/** How often each task has run to its end. */
async function runsOf(folder: string): Promise<Readonly<Record<string, number>>> {
  const files = await readdir(join(folder, '.taskwright', 'jobs'), { recursive: true }).catch(() => []);
  const counts: Record<string, number> = {};
  for (const file of files.filter((name) => basename(name) === 'run.json').sort()) {
    const run = JSON.parse(await readFile(join(folder, '.taskwright', 'jobs', file), 'utf8')) as { task_id: string };
    counts[run.task_id] = (counts[run.task_id] ?? 0) + 1;
  }
  return counts;
}

/** Answers when there is a file of the name in its folder. */
const SLOW = `import { existsSync } from 'node:fs';
export async function yes_when(_context: unknown, file: string) {
  while (!existsSync(new URL(file, import.meta.url))) await new Promise((done) => setTimeout(done, 20));
  return 1;
}
`;
const slow = (id: string, file: string) => ({
  id,
  prompt: 'Say yes.',
  gym: 'qa',
  evaluate: { function: 'yes_when', args: [file] },
});

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open({
    files: {
      'quiz/quiz.tasks.json': `${JSON.stringify(QUIZ, null, 2)}\n`,
      'quiz/lamps.actions': "response('3 lamps')\n",
      'quiz/chairs.actions': "response('4 chairs')\n",
      'again/watch.tasks.json': JSON.stringify([{ ...QUIZ[0], id: 'watched', tags: [] }], null, 2),
      'again/watched.actions': "response('3 lamps')\n",
      'again/slow.tasks.json': JSON.stringify([slow('endless', 'never'), slow('slow', 'closed')], null, 2),
      'again/slow.functions.ts': SLOW,
      'again/endless.actions': "response('yes')\n",
      'again/slow.actions': "response('yes')\n",
    },
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

test('The tree is filtered, the Testing view runs the same tasks and says at the call why one failed, and a fix is set against the run before', async () => {
  const { page } = workbench;
  await workbench.showTasks();
  await workbench.openFile('quiz.tasks.json');

  // Only the tasks of the quiz with the tag.
  await workbench.tasks.first().hover();
  await page.getByRole('button', { name: 'Filter Tasks' }).click();
  await page.locator('.quick-input-widget input[type=text]').fill('how @tag:shop');
  await page.getByRole('option', { name: 'Show 2 Tasks' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => workbench.tasks.count()).toBe(2);
  await page.getByText('Filtered by “how @tag:shop”: 2 tasks.').waitFor();
  await workbench.screenshot('testing-1-filtered');
  await workbench.tasks.first().hover();
  await page.getByRole('button', { name: 'Clear Filter' }).click();
  await expect.poll(() => workbench.tasks.count()).toBeGreaterThan(2);

  // The file's tasks as tests: one passes, one fails at its call, one has nobody to do it.
  await workbench.command('Test: Run Tests in Current File');
  await page.locator('.codelens-decoration a', { hasText: 'last 1.00' }).waitFor();
  await page.locator('.codelens-decoration a', { hasText: 'last 0.00' }).waitFor();
  await page.locator('.test-error-content-widget', { hasText: '3 lamps != 2 lamps' }).waitFor();
  await page.getByRole('tab', { name: /^Testing/ }).click();
  await page.getByRole('treeitem', { name: /^quiz / }).waitFor();
  await workbench.screenshot('testing-2-failed');

  // What failed runs again, and nothing else.
  await workbench.command('Test: Rerun Failed Tests');
  await expect.poll(() => runsOf(workbench.folder), { timeout: 120_000 }).toEqual({ chairs: 1, lamps: 2 });

  // A tag finds its tasks.
  const explorer = page.locator('.test-explorer');
  const test = (name: string) => explorer.getByRole('treeitem', { name: new RegExp(`^${name}\\b`) });
  for (const name of [/^quiz /, /^quiz\.tasks\.json/]) {
    const row = explorer.getByRole('treeitem', { name });
    await row.waitFor();
    if ((await row.getAttribute('aria-expanded')) !== 'true') await row.locator('.monaco-tl-twistie').click();
  }
  await test('tables').waitFor();

  // Commands of tasks are in the menus of tasks alone.
  const copy = page.getByRole('menuitem', { name: 'Copy Address', exact: true });
  await test('tables').click({ button: 'right' });
  await copy.waitFor();
  await page.keyboard.press('Escape');
  await copy.waitFor({ state: 'detached' });
  await explorer.getByRole('treeitem', { name: /^quiz\.tasks\.json/ }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Run Test', exact: true }).waitFor();
  expect(await copy.count()).toBe(0);
  await page.keyboard.press('Escape');
  await explorer.locator('.testing-filter-wrapper .monaco-editor').click();
  await page.keyboard.type('@taskwright:shop');
  await test('tables').waitFor({ state: 'detached' });
  await test('lamps').waitFor();
  await test('chairs').waitFor();
  await workbench.screenshot('testing-5-tag');
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await test('tables').waitFor();

  // Repaired, run again from the tree, and set against the run before.
  await writeFile(join(workbench.folder, 'quiz', 'lamps.actions'), "response('2 lamps')\n");
  await workbench.showTasks();
  await workbench.runFromTree('lamps');
  await page
    .getByRole('treeitem', { name: /^task lamps, passed, reward 1\.00; before: failed, reward 0\.00/ })
    .waitFor();
  const diff = page.locator('.diff-editor, .monaco-diff-editor').first();
  await workbench.selectFromMenu(workbench.task('lamps'), 'Compare with Previous Run', diff, 'Recorded Runs');
  await page.getByText('response_is("2 lamps")').first().waitFor();
  await workbench.screenshot('testing-3-compared');
});

test('The Testing view runs again what was saved and stops what runs; what ends where nobody looks is told', async () => {
  const { page } = workbench;
  await workbench.showTasks();
  await workbench.command('View: Close All Editors');

  await workbench.openFile('watch.tasks.json');
  await workbench.command('Test: Start Continuous Run');
  await workbench.openFile('watched.actions');
  await workbench.clickText('3 lamps');
  await page.keyboard.press('End');
  await page.keyboard.type('\n');
  await page.keyboard.press('Control+S');
  await page.getByRole('treeitem', { name: /^task watched, failed, reward 0\.00/ }).waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type("response('2 lamps')");
  await page.keyboard.press('Control+S');
  await page.getByRole('treeitem', { name: /^task watched, passed, reward 1\.00/ }).waitFor();
  await workbench.screenshot('testing-4-continuous');
  await workbench.command('Test: Stop Continuous Run');

  await workbench.openFile('slow.tasks.json');
  await workbench.clickText('endless');
  await workbench.command('Test: Run Test at Cursor');
  await page.getByRole('treeitem', { name: /^task endless, running/ }).waitFor();
  await workbench.command('Test: Cancel Test Run');
  await page.getByRole('treeitem', { name: /^task endless, cancelled/ }).waitFor();

  // One that is looked at ends without a word.
  await workbench.runFromTree('watched');
  expect(await workbench.verdict()).toBe('1.00');

  await workbench.openFile('slow.tasks.json');
  await workbench.lens('Run').nth(1).click();
  await workbench.panel.getByRole('heading', { name: 'slow' }).waitFor();
  await workbench.command('View: Close All Editors');
  await expect.poll(() => page.locator('iframe.webview').count()).toBe(0);
  await writeFile(join(workbench.folder, 'again', 'closed'), '');
  const toast = page.locator('.notification-toast', { hasText: '“slow” passed' });
  await toast.waitFor();
  expect(await page.locator('.notification-toast', { hasText: /“(watched|endless)”/ }).count()).toBe(0);
  await toast.getByRole('button', { name: 'Open Run' }).click();
  expect(await workbench.verdict()).toBe('1.00');
});
