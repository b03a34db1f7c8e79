import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordJob } from '../../bench/recorded-job.ts';
import { readTasks } from '../../src/tasks/read.ts';
import { isLong } from '../sample.ts';
import { Workbench } from './workbench.ts';

/** 10,000 runs with `npm run test:long`. */
const TASKS = isLong ? 2500 : 250;
const GROUP = 4;
/** More rows than any window of the tests shows. */
const IN_VIEW = 100;

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open();
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it('A job with many runs, which another process makes: only what is in view is there, and the rest is found from it', async () => {
  const { page, folder } = workbench;
  await workbench.showTasks();
  const task = readTasks(join(folder, 'a.task.json'), '{"prompt": "Say yes.", "gym": "qa"}').rows[0]?.task;
  if (!task) throw new Error('There is no task.');
  const jobs = join(folder, '.taskwright', 'jobs');
  await recordJob(jobs, { task, tasks: TASKS, group: GROUP, shards: 1, steps: 0, picture: 0 });
  const runs = TASKS * GROUP;
  // Until all have been read, the order of the rows is another, and the tree is updated.
  const entry = page.getByRole('treeitem', {
    name: new RegExp(`^job of ${TASKS} tasks × ${GROUP}, ended, ${runs} of ${runs} runs ended`),
  });
  await entry.waitFor();
  await entry.click();
  const job = await workbench.pageWith('main.job');
  await job.getByRole('heading', { name: `${TASKS} tasks × ${GROUP}` }).waitFor();
  const rows = job.getByRole('rowheader');
  await rows.first().waitFor();
  expect(await rows.count()).toBeLessThan(IN_VIEW);

  // The workbench can take the focus back once while it opens the page: press again then.
  const last = job.getByRole('rowheader', { name: `task-${TASKS - 2}`, exact: true });
  const atEnd = async (): Promise<boolean> => {
    await job.locator('.cell[tabindex="0"]').press('Control+End');
    return last.isVisible();
  };
  await expect.poll(atEnd, { interval: 1000 }).toBe(true);
  expect(await rows.count()).toBeLessThan(IN_VIEW);
  await workbench.screenshot('large-job');
  await job.getByRole('searchbox').fill(`task-${TASKS - 1}`);
  await expect.poll(() => rows.allInnerTexts()).toEqual([`task-${TASKS - 1}`]);

  await entry.click();
  await entry.press('ArrowRight');
  const children = page.getByRole('treeitem', { name: /^run of task-\d+, / });
  await children.first().waitFor();
  expect(await children.count()).toBeLessThan(IN_VIEW);
});
