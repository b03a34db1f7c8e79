import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { itLong } from '../sample.ts';
import { Workbench } from './workbench.ts';

let workbench: Workbench;

/** Three tasks that are solved, one that fails, one whose evaluator throws. */
const SET = ['good-one', 'good-two', 'good-three', 'wrong', 'throws'].map((id) => ({
  id,
  prompt: 'Say yes.',
  gym: 'qa',
  evaluate: { function: 'yes_in_turn', args: [id] },
}));
/** Each run has a number; those above what the file beside says wait until it says more. */
const FUNCTIONS = `import { appendFileSync, readFileSync } from 'node:fs';
const beside = (name: string) => new URL(name, import.meta.url);
export async function yes_in_turn(_context: unknown, id: string) {
  appendFileSync(beside('asked.txt'), '.');
  const turn = readFileSync(beside('asked.txt')).length;
  while (Number(readFileSync(beside('open.txt'))) < turn) await new Promise((done) => setTimeout(done, 20));
  if (id === 'throws') throw new Error('the evaluator is broken');
  return id === 'wrong' ? 0 : 1;
}
`;
const solutions = Object.fromEntries(SET.map(({ id }) => [`set/${id}.actions`, "send_msg_to_user('yes')\n"]));

beforeAll(async () => {
  workbench = await Workbench.open({
    files: {
      'set/five.tasks.json': JSON.stringify(SET),
      'set/five.functions.ts': FUNCTIONS,
      'set/open.txt': '0',
      ...solutions,
    },
    // The waiting calls go on until the window is gone, however slow the machine is.
    settings: { 'taskwright.jobs.concurrency': 2, 'taskwright.run.evaluateTimeout': 600 },
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

/** So many runs end; the others wait. */
const letThrough = (count: number) => writeFile(join(workbench.folder, 'set', 'open.txt'), String(count));

const jobs = () => join(workbench.folder, '.taskwright', 'jobs');

const jobPage = () => workbench.pageWith('main.job');
const runPage = () => workbench.pageWith('main.run');

/** IDs of the runs of a job that have ended. */
async function endedIn(job: string): Promise<string[]> {
  const runs = await readdir(join(jobs(), job)).catch(() => []);
  const done: string[] = [];
  for (const run of runs) {
    const text = await readFile(join(jobs(), job, run, 'run.json'), 'utf8').catch(() => null);
    if (text !== null && JSON.parse(text).status !== 'cancelled') done.push(run);
  }
  return done.sort();
}

/** IDs of the runs of the first job that have ended. */
async function ended(): Promise<string[]> {
  const [job = ''] = await readdir(jobs()).catch(() => []);
  return endedIn(job);
}

it('A job: a set, four repeats, two at once', async () => {
  await workbench.showTasks();
  const file = workbench.page.getByRole('treeitem', { name: /^five\.tasks\.json/ });
  const input = workbench.page.locator('.quick-input-widget input[type=text]');
  const question = workbench.page.getByText('Number of runs of each task');
  await workbench.selectFromMenu(file, 'Run as a Job with Options…', question);
  await input.fill('4');
  await input.press('Enter');
  await workbench.choose(/^Seeds 0 to 3/);
  await workbench.page.getByRole('option', { name: /Solution/ }).click();
  const job = await jobPage();
  await job.getByRole('heading', { name: '5 tasks × 4' }).waitFor();
  await expect.poll(() => job.locator('.cell.is-running').count(), { timeout: 120_000 }).toBe(2);
  await workbench.screenshot('job-running');
});

it('A job: killed half-way', async () => {
  await letThrough(6);
  await expect.poll(async () => (await ended()).length, { timeout: 120_000 }).toBe(6);
  await workbench.command('Developer: Reload Window');
});

it('A job: it goes on where it was, and repeats nothing', async () => {
  const job = await jobPage();
  const resume = job.getByRole('button', { name: /Resume/ });
  await resume.waitFor();
  const before = await ended();
  expect(before.length).toBe(6);
  const [id = ''] = await readdir(jobs());
  const written = async (run: string) => readFile(join(jobs(), id, run, 'run.json'), 'utf8');
  const texts = await Promise.all(before.map(written));
  await workbench.screenshot('job-interrupted');
  await letThrough(100);
  await resume.click();
  await job
    .getByText(/of 20 passed/)
    .first()
    .waitFor({ timeout: 120_000 });
  expect(await readdir(jobs())).toEqual([id]);
  expect((await ended()).length).toBe(20);
  expect(await Promise.all(before.map(written))).toEqual(texts);
});

it('A job: rewards with their spread, the failures first', async () => {
  const job = await jobPage();
  const figures = (await job.locator('.figures').innerText()).replace(/\s+/g, ' ');
  expect(await job.locator('.verdict-badge').innerText()).toContain('12 of 20 passed · 4 errors');
  expect(figures).toContain('success rate 60 %');
  expect(figures).toContain('mean reward 0.75 ± 0.43 of 16 graded');
  const tasks = await job.getByRole('rowheader').allInnerTexts();
  expect(tasks).toEqual(['throws', 'wrong', 'good-one', 'good-two', 'good-three']);
  await workbench.screenshot('job');
});

it('A job: any of them is one click from its trace', async () => {
  const job = await jobPage();
  await job.getByRole('gridcell', { name: /^throws, run 3: error/ }).click();
  await workbench.page.getByRole('tab', { name: /Run: throws/ }).waitFor();
  const run = await runPage();
  await expect.poll(() => run.locator('body').innerText()).toContain('the evaluator is broken');
  await workbench.screenshot('job-and-run');
});

it('A job: its runs are listed with steps and reasons, filtered, and exported as CSV', async () => {
  const job = await jobPage();
  await job.getByRole('tab', { name: 'By Run' }).click();
  await job.getByRole('searchbox').fill('broken');
  const rows = job.locator('.list-rows').getByRole('row');
  await expect.poll(() => rows.count()).toBe(4);
  await expect.poll(() => rows.first().innerText()).toContain('the evaluator is broken');
  await workbench.screenshot('job-list');
  await job.getByRole('searchbox').fill('');
  await job.getByRole('tab', { name: 'By Task' }).click();
  await job.getByRole('button', { name: 'Export as CSV' }).click();
  const target = join(workbench.folder, 'runs.csv');
  const file = workbench.page.locator('.quick-input-widget input[type=text]');
  const [id = ''] = await readdir(jobs());
  await expect.poll(() => file.inputValue()).toBe(join(workbench.folder, `${id}.csv`));
  await workbench.answerFile(target);
  const lines = async () => (await readFile(target, 'utf8').catch(() => '')).trimEnd().split('\r\n');
  await expect.poll(async () => (await lines()).length, { timeout: 120_000 }).toBe(21);
  expect((await lines())[0]).toMatch(/^file,task_id,run_id,agent,seed,.*,reasons$/);
});

it('A job: it stands in the Runs view with its runs, by keyboard too', async () => {
  const entry = workbench.page.getByRole('treeitem', { name: /^job of 5 tasks × 4, ended, 20 of 20 runs ended/ });
  await entry.waitFor();
  await entry.click();
  const job = await jobPage();
  const cell = (name: RegExp) => job.getByRole('gridcell', { name });
  const focused = () => job.locator('.cell:focus').getAttribute('aria-label', { timeout: 1000 });
  // The third run was clicked. The workbench can take the focus back once while it opens the page: press again then.
  expect(await job.locator('.cell[tabindex="0"]').getAttribute('aria-label')).toMatch(/^throws, run 3/);
  const press = async (from: RegExp, key: string) => {
    await cell(from).press(key);
    return focused().catch(() => 'nothing');
  };
  const within = { timeout: 120_000 };
  await expect.poll(() => press(/^throws, run 3/, 'ArrowDown'), within).toMatch(/^wrong, run 3: failed/);
  await expect.poll(() => press(/^wrong, run 3/, 'ArrowLeft'), within).toMatch(/^wrong, run 2: failed/);
  await workbench.page.keyboard.press('Enter');
  await workbench.page.getByRole('tab', { name: /Run: wrong/ }).waitFor();
});

it('A job: in the Runs view, too, each of its runs is one click away, the failures first', async () => {
  const entry = workbench.page.getByRole('treeitem', { name: /^job of 5 tasks × 4/ });
  await entry.locator('.monaco-tl-twistie').click();
  const run = workbench.page.getByRole('treeitem', { name: /^run of / }).first();
  await expect.poll(() => run.getAttribute('aria-label')).toMatch(/^run of throws, /);
  await run.click();
  await workbench.page.getByRole('tab', { name: /Run: throws/ }).waitFor();
});

itLong('A job: it is judged again from its menu in the Runs view, and one of its runs from its own', async () => {
  await letThrough(1000);
  const { page } = workbench;
  const job = page.getByRole('treeitem', { name: /^job of 5 tasks × 4/ });
  await workbench.selectFromMenu(
    job,
    'Re-score Recorded Runs',
    page.getByRole('tab', { name: /Re-score: 5 tasks × 4/ }),
  );
  const table = await workbench.pageWith('.rescore');
  await table.getByText(/^20 re-scored/).waitFor();
  await workbench.screenshot('job-rescored');

  const run = page.getByRole('treeitem', { name: /^run of wrong, / }).first();
  await workbench.selectFromMenu(run, 'Re-score Recorded Runs', page.getByRole('tab', { name: /Re-score: wrong/ }));
  await table.getByText(/^1 re-scored/).waitFor();
  await expect.poll(() => table.getByRole('row', { name: /^wrong: unchanged/ }).count()).toBe(1);
});

itLong('A job: its failures, then all its tasks are run again as new jobs, in the same group of editors', async () => {
  const { page } = workbench;
  const entry = page.getByRole('treeitem', { name: /^job of 5 tasks × 4/ });
  await entry.first().click();
  const job = await jobPage();
  const groups = () => page.locator('.editor-group-container').count();
  const before = await groups();
  await job.getByText('Rerun Failures').click();
  await job.getByRole('heading', { name: '2 tasks × 4' }).waitFor();
  await job.getByText('0 of 8 passed · 4 errors').first().waitFor({ timeout: 120_000 });
  expect(await groups()).toBe(before);
  await entry.first().click();
  await job.getByRole('heading', { name: '5 tasks × 4' }).waitFor();
  await job.getByText('Rerun All').click();
  // Its page says what that of the first job says, so the files tell when it has ended.
  const counts = async () => {
    const names = (await readdir(jobs())).sort();
    return (await Promise.all(names.map(endedIn))).map(({ length }) => length);
  };
  await expect.poll(counts, { timeout: 180_000 }).toEqual([20, 8, 20]);
  await job.getByText('12 of 20 passed · 4 errors').first().waitFor();
  const seeds = async (name: string) => JSON.parse(await readFile(join(jobs(), name, 'job.json'), 'utf8')).plan.runs;
  const plans = await Promise.all((await readdir(jobs())).map(seeds));
  // The seeds of the first job are those of the others.
  for (const plan of plans)
    expect(new Set(plan.map(({ seed }: { seed: number }) => seed))).toEqual(new Set([0, 1, 2, 3]));
});
