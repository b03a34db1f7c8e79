import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { recordJob } from '../../bench/recorded-job.ts';
import { root } from '../../scripts/places.ts';
import { readTasks } from '../../src/tasks/read.ts';
import { isLong, itLong } from '../sample.ts';
import { Workbench } from './workbench.ts';

const SET = ['first', 'second'].map((id) => ({ id, prompt: 'Say yes.', gym: 'qa', evaluate: ['response_is', 'yes'] }));
/** Answers when a file is there. */
const AGENT = `import { existsSync } from 'node:fs';
const file = new URL('open.txt', import.meta.url);
export default async () => {
  while (!existsSync(file)) await new Promise((done) => setTimeout(done, 50));
  return { type: 'response', text: 'yes' };
};
`;

/** 10,000 runs with `npm run test:long`. */
const TASKS = isLong ? 2500 : 250;
const GROUP = 4;
/** More rows than any window of the tests shows. */
const IN_VIEW = 100;

let workbench: Workbench;
let job: ChildProcess;

beforeAll(async () => {
  workbench = await Workbench.open({
    files: { 'set/two.tasks.json': JSON.stringify(SET), 'set/waits.agent.mjs': AGENT },
  });
  await workbench.showTasks();
});
afterAll(async () => {
  job?.kill();
  await workbench?.[Symbol.asyncDispose]();
});

it('Another process: a job of the command line is followed in both trees, on its page, and in the panel', async () => {
  const args = ['run', 'set/two.tasks.json', '--agent', 'module:set/waits.agent.mjs', '--concurrency', '1'];
  job = spawn(process.execPath, [join(root, 'dist', 'cli.js'), ...args], { cwd: workbench.folder, stdio: 'ignore' });
  const ended = once(job, 'exit');
  const { page } = workbench;
  const entry = (state: string) => page.getByRole('treeitem', { name: new RegExp(`^job of 2 tasks, ${state}`) });
  await entry('running').waitFor({ timeout: 120_000 });
  await entry('running').click();
  await (await workbench.pageWith('main.job')).locator('.list-row.is-running').click();
  const run = page.getByRole('tab', { name: /Run: first/ });
  await run.waitFor();
  const badge = (await workbench.pageWith('main.run')).locator('.verdict-badge');
  await expect.poll(() => badge.innerText(), { timeout: 120_000 }).toContain('running');

  await writeFile(join(workbench.folder, 'set', 'open.txt'), '');
  expect((await ended)[0]).toBe(0);
  await expect.poll(() => badge.innerText(), { timeout: 120_000 }).toContain('1.00');
  await entry('ended').waitFor({ timeout: 120_000 });
  await expect.poll(() => workbench.task('first').getAttribute('aria-label')).not.toContain('running');
  await workbench.screenshot('other-process');
  const result = (await workbench.pageWith('main.job')).locator('.verdict-badge');
  await expect.poll(() => result.innerText(), { timeout: 120_000 }).toContain('2 of 2 passed');
});

itLong(
  'Serve Tasks: the server is in the Environments view, and the panel follows a session step by step',
  async () => {
    const { page } = workbench;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await workbench.closeEditors();
    await workbench.command('Taskwright: Serve Tasks…');
    await workbench.choose(/two\.tasks\.json/);
    const toast = page.locator('.notification-toast', { hasText: 'Serving' });
    await toast.getByRole('button', { name: 'Copy Python Code' }).click({ timeout: 120_000 });
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied, { timeout: 120_000 }).toContain('GenericEnvClient');
    const [, url = '', authorization = ''] = /"(http:[^"]+)".*"(Bearer [^"]+)"/.exec(await copied()) ?? [];
    await workbench.command('Focus on Environments View');
    const item = page.getByRole('treeitem', { name: /^serving set\/two\.tasks\.json at / });
    await item.waitFor();

    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { authorization } });
    const closed = once(socket, 'close');
    await once(socket, 'open');
    const told = once(socket, 'message');
    socket.send('{"type": "reset", "data": {"task": "first"}}');
    expect(String(await told)).toContain('"observation"');
    const run = page.getByRole('treeitem', { name: /^run of first, running/ });
    await run.click({ timeout: 120_000 });
    await expect.poll(() => workbench.steps.count(), { timeout: 120_000 }).toBe(1);
    socket.send('{"type": "step", "data": {"action_str": "noop(1)"}}');
    await expect.poll(() => workbench.steps.count(), { timeout: 120_000 }).toBe(2);
    await expect.poll(() => item.innerText(), { timeout: 120_000 }).toContain('1 session');
    await workbench.screenshot('serving-dark');

    await workbench.selectFromMenu(item, 'Copy Address', item);
    await expect.poll(copied, { timeout: 120_000 }).toBe(url);
    await item.hover();
    await item.getByRole('button', { name: 'Stop Serving' }).click();
    await closed;
    await item.waitFor({ state: 'detached', timeout: 120_000 });
    await run.waitFor({ state: 'detached', timeout: 120_000 });
  },
);

it('A job with many runs, which another process makes: only what is in view is there, and the rest is found from it', async () => {
  const { page, folder } = workbench;
  await workbench.closeEditors();
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
