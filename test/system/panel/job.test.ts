import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outFolder } from '../../../scripts/places.ts';
import { type JobRunState, presentHead, presentRows } from '../../../src/presentation/jobs/present.ts';
import type { Run } from '../../../src/traces/trace.ts';
import { openBrowser, Shell, type ShellOptions } from './shell.ts';
import { violationsOf } from './violations.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

/** So many tasks with four repeats: in turn passed, partly, failed, broken; the last ones run or wait. */
function runsOf(tasks: number, under = 0): JobRunState[] {
  return Array.from({ length: tasks * 4 }, (_, index): JobRunState => {
    const task = Math.floor(index / 4);
    const planned = {
      run_id: `run-${index}`,
      file: '/tasks/shop.tasks.json',
      task_id: `place-order-${task}`,
      index: task,
      group_id: `g${task}`,
      seed: 0,
      agent: 'module:agents/example.agent.ts',
      placement: 'local',
      error: null,
    } as const;
    if (index >= tasks * 4 - under)
      return { plannedRun: planned, result: null, reasons: '', running: index < tasks * 4 - under + 2 };
    const kind =
      task % 7 === 3 ? 'error' : task % 7 === 5 ? 'fail' : task % 7 === 6 && index % 2 === 0 ? 'partial' : 'pass';
    const reward = { error: null, fail: index % 4 === 0 ? 1 : 0, partial: 0.5, pass: 1 }[kind];
    const result: Run = {
      run_id: planned.run_id,
      task_id: planned.task_id,
      file: planned.file,
      group_id: planned.group_id,
      agent: planned.agent,
      seed: 0,
      status: kind === 'error' ? 'error' : 'completed',
      reward,
      success: reward === 1,
      truncated: false,
      error: kind === 'error' ? { message: 'The evaluator threw.', code: 'call_threw' } : null,
      steps: 6,
      duration_ms: 2345,
      started_at: '2026-01-01T00:00:00.000Z',
      trace_dir: `/jobs/j/${planned.run_id}`,
    };
    const reasons = { error: 'The evaluator threw.', fail: 'page_contains: not on the page', partial: '', pass: '' }[
      kind
    ];
    return { plannedRun: planned, result, reasons, running: false };
  });
}

function jobMessage(runs: readonly JobRunState[], status: 'running' | 'ended' | 'unfinished') {
  const startedAt = new Date().toISOString();
  const endedAt = status === 'running' ? null : Date.now() + 83_000;
  const job = { folder: '/jobs/j', startedAt, status, endedAt, runs, concurrency: status === 'running' ? 2 : null };
  return { head: presentHead(job), rows: presentRows(job) };
}

const open = (options: ShellOptions = {}) => Shell.open(browser, [], { show: 'job', ...options });

/** What the page says, whatever kind of page it is. */
async function postedMessages(shell: Shell): Promise<readonly unknown[]> {
  return await shell.messages();
}

describe('the job panel', () => {
  it('shows failures first, and opens a run at a click', async () => {
    const shell = await open();
    await shell.send({ type: 'job', ...jobMessage(runsOf(14), 'ended') });
    const tasks = await shell.page.getByRole('rowheader').allInnerTexts();
    expect(tasks.slice(0, 4)).toEqual(['place-order-3', 'place-order-10', 'place-order-5', 'place-order-12']);
    await shell.page.getByRole('gridcell', { name: /^place-order-5, run 2: failed, reward 0\.00, 6 steps/ }).click();
    expect(await postedMessages(shell)).toContainEqual({ type: 'open', runId: 'run-21' });
    expect(await shell.problems()).toEqual([]);
    await shell.close();
  });

  it('fits each result into its cell', async () => {
    const shell = await open();
    const statuses = ['cancelled', 'interrupted', 'error', 'completed'] as const;
    const runs = runsOf(14).map(({ result, ...run }, index): JobRunState => {
      const status = statuses[index % statuses.length] ?? 'completed';
      return { ...run, result: result === null ? null : { ...result, status } };
    });
    await shell.send({ type: 'job', ...jobMessage(runs, 'unfinished') });
    const widths = await shell.page
      .locator('.cell')
      .evaluateAll((cells) => cells.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
    expect(widths.length).toBeGreaterThan(8);
    expect(Math.max(...widths)).toBe(0);
    await shell.close();
  });

  it('lists rewards relative to the other runs of a task, if tasks are repeated', async () => {
    const shell = await open();
    const runs = runsOf(14);
    await shell.send({ type: 'job', ...jobMessage(runs, 'ended') });
    await shell.page.getByRole('tab', { name: 'By Run' }).click();
    await shell.drawn();
    const heading = shell.page.getByRole('columnheader', { name: 'Relative' });
    await heading.getByRole('button').click();
    await heading.getByRole('button').click();
    await shell.drawn();
    const cells = shell.page.locator('.list-rows .list-relative');
    expect(await cells.first().innerText()).toBe('+1.73');
    expect(await shell.problems()).toEqual([]);
    await shell.send({
      type: 'job',
      ...jobMessage(
        runs.filter((_, index) => index % 4 === 0),
        'ended',
      ),
    });
    await shell.drawn();
    expect(await heading.isVisible()).toBe(false);
    await shell.close();
  });

  it('shows four runs of each task in a narrow editor', async () => {
    const shell = await open({ width: 500 });
    await shell.send({ type: 'job', ...jobMessage(runsOf(14), 'ended') });
    const grid = shell.page.locator('.grid');
    await expect.poll(() => grid.getByRole('gridcell', { name: /run 4: / }).count()).toBeGreaterThan(0);
    expect(await grid.evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
    await shell.close();
  });

  it('is navigated with the keyboard: one tab stop, arrow keys, Enter', async () => {
    const shell = await open();
    await shell.send({ type: 'job', ...jobMessage(runsOf(14), 'ended') });
    expect(await shell.page.locator('.grid [tabindex="0"]').count()).toBe(1);
    await shell.page.locator('.grid [tabindex="0"]').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) {
      await shell.page.keyboard.press(key);
    }
    await shell.drawn();
    expect(await shell.page.locator('.cell:focus').getAttribute('aria-label')).toMatch(/^place-order-5, run 2: failed/);
    await shell.page.keyboard.press('Enter');
    expect(await postedMessages(shell)).toContainEqual({ type: 'open', runId: 'run-21' });
    await shell.page.keyboard.press('Control+End');
    await shell.drawn();
    expect(await shell.page.locator('.cell:focus').getAttribute('aria-label')).toMatch(/^place-order-11, run 2/);
    await shell.close();
  });

  it('follows a job in progress, and does not move rows under the pointer', async () => {
    const shell = await open();
    const runs = runsOf(3, 4);
    await shell.send({ type: 'job', ...jobMessage(runs, 'running') });
    expect(await shell.page.getByRole('button', { name: 'Stop Job' }).isVisible()).toBe(true);
    expect(await shell.page.locator('.cell.is-running').count()).toBe(2);
    const order = () => shell.page.getByRole('rowheader').allInnerTexts();
    const before = await order();
    expect(before[0]).toBe('place-order-2');
    await shell.page.locator('.grid-row').nth(1).hover();
    const ended = runsOf(3);
    await shell.send({ type: 'progress', ...jobMessage(ended, 'ended') });
    expect(await order()).toEqual(before);
    expect(await shell.page.locator('.cell.is-running').count()).toBe(0);
    await shell.page.mouse.move(5, 5);
    await shell.drawn();
    expect(await order()).toEqual(['place-order-0', 'place-order-1', 'place-order-2']);
    expect(await shell.page.getByRole('status').innerText()).toMatch(
      /^Job ended: 12 of 12 runs ended, 12 of 12 passed, success rate 100 %/,
    );
    await shell.close();
  });

  it('renders visible rows only, and shows updates of a thousand runs within two frames', async () => {
    const shell = await open();
    const whole = jobMessage(runsOf(250), 'running');
    await shell.send({ type: 'job', ...whole });
    expect(await shell.page.locator('.grid-row').count()).toBeLessThan(70);
    expect(await shell.page.locator('.grid').getAttribute('aria-rowcount')).toBe('250');
    const took = await shell.page.evaluate(
      async (json) => {
        const data = JSON.parse(json);
        const begun = performance.now();
        window.dispatchEvent(new MessageEvent('message', { data }));
        await new Promise((done) => requestAnimationFrame(() => done(null)));
        return performance.now() - begun;
      },
      JSON.stringify({ type: 'progress', ...whole }),
    );
    expect(took).toBeLessThan(500);
    await shell.close();
  });

  it('lists the runs with their steps and reasons, sorted by a column', async () => {
    const shell = await open({ width: 900 });
    await shell.send({ type: 'job', ...jobMessage(runsOf(14), 'ended') });
    await shell.page.getByRole('tab', { name: 'By Run' }).click();
    await shell.drawn();
    const rows = shell.page.getByRole('grid', { name: 'Runs', exact: true }).locator('.list-rows').getByRole('row');
    const cells = (column: string) => rows.locator(`.list-${column}`).allInnerTexts();
    expect((await cells('task')).slice(0, 2)).toEqual(['place-order-3 #1', 'place-order-3 #2']);
    expect((await cells('reasons'))[0]).toBe('The evaluator threw.');
    expect((await cells('steps'))[0]).toBe('6');
    expect((await cells('time'))[0]).toBe('2.3 s');
    await shell.page.getByRole('button', { name: 'Task' }).click();
    await shell.drawn();
    expect((await cells('task')).slice(0, 2)).toEqual(['place-order-0 #1', 'place-order-0 #2']);
    await shell.page.getByRole('button', { name: 'Task' }).click();
    await shell.drawn();
    expect((await cells('task'))[0]).toBe('place-order-13 #4');
    expect(await shell.page.locator('[aria-sort]').getAttribute('aria-sort')).toBe('descending');
    await rows.first().click();
    expect(await postedMessages(shell)).toContainEqual({ type: 'open', runId: 'run-55' });
    await shell.page.keyboard.press('ArrowDown');
    await shell.page.keyboard.press('Enter');
    expect(await postedMessages(shell)).toContainEqual({ type: 'open', runId: 'run-54' });
    expect(await shell.problems()).toEqual([]);
    await shell.close();
  });

  it('filters runs by task, result, and reason, and keeps the filter while hidden', async () => {
    const shell = await open();
    const whole = jobMessage(runsOf(14), 'ended');
    await shell.send({ type: 'job', ...whole });
    const filter = shell.page.getByRole('searchbox', { name: 'Filter runs' });
    await filter.fill('order-5 not on');
    await shell.drawn();
    expect(await shell.page.getByRole('rowheader').allInnerTexts()).toEqual(['place-order-5']);
    await filter.fill('EVALUATOR');
    await shell.drawn();
    expect(await shell.page.getByRole('rowheader').allInnerTexts()).toEqual(['place-order-3', 'place-order-10']);
    expect(await shell.page.locator('.filter-count').innerText()).toBe('8 of 56 runs');
    await shell.page.getByRole('tab', { name: 'By Run' }).click();
    await shell.page.getByRole('button', { name: 'Reasons' }).click();
    await shell.drawn();
    const kept = await shell.kept();
    await shell.close();

    const again = await open({ state: kept });
    await again.send({ type: 'job', ...whole });
    expect(await again.page.getByRole('searchbox').inputValue()).toBe('EVALUATOR');
    expect(await again.page.locator('.list-rows').getByRole('row').count()).toBe(8);
    expect(await again.page.locator('[aria-sort]').innerText()).toContain('Reasons');
    await again.page.getByRole('searchbox').fill('nothing like it');
    await again.drawn();
    expect(await again.page.locator('.filter-count').innerText()).toBe('0 of 56 runs');
    await again.close();
  });

  it('shows a job without repeats as a list of its runs', async () => {
    const shell = await open();
    const single = runsOf(8).filter((_, index) => index % 4 === 0);
    await shell.send({ type: 'job', ...jobMessage(single, 'ended') });
    expect(await shell.page.locator('.list-rows').getByRole('row').count()).toBe(8);
    expect(await shell.page.locator('.list-task').allInnerTexts()).toContain('place-order-3');
    expect(await shell.page.locator('.grid').isVisible()).toBe(false);
    await shell.close();
  });

  it('offers to rerun the failures or all tasks of an ended job, and to export it', async () => {
    const shell = await open();
    await shell.send({ type: 'job', ...jobMessage(runsOf(3, 4), 'running') });
    expect(await shell.page.getByText('Rerun All').isVisible()).toBe(false);
    await shell.send({ type: 'job', ...jobMessage(runsOf(3, 4), 'unfinished') });
    await shell.page.getByText('Rerun All').click();
    await shell.page.getByRole('button', { name: 'Export as CSV' }).click();
    expect(await postedMessages(shell)).toContainEqual({ type: 'rerun', failures: false });
    expect(await postedMessages(shell)).toContainEqual({ type: 'exportCsv' });
    await shell.close();
  });

  it('offers to resume a job that is not finished', async () => {
    const shell = await open();
    await shell.send({ type: 'job', ...jobMessage(runsOf(3, 4), 'unfinished') });
    await shell.page.getByRole('button', { name: /^Resume/ }).click();
    expect(await postedMessages(shell)).toContainEqual({ type: 'resume' });
    await shell.send({ type: 'failed', message: 'This job is not there any more.' });
    expect(await shell.page.getByRole('alert').innerText()).toBe('This job is not there any more.');
    await shell.close();
  });

  it.each(['dark', 'light', 'high contrast', 'high contrast light'] as const)('is accessible in %s', async (theme) => {
    const shell = await open({ theme });
    await shell.send({ type: 'job', ...jobMessage(runsOf(14, 6), 'running') });
    expect(await violationsOf(shell.page)).toEqual([]);
    await mkdir(join(outFolder, 'screenshots'), { recursive: true });
    await shell.page.screenshot({ path: join(outFolder, 'screenshots', `job-${theme.replaceAll(' ', '-')}.png`) });
    await shell.page.getByRole('tab', { name: 'By Run' }).click();
    await shell.drawn();
    expect(await violationsOf(shell.page)).toEqual([]);
    await shell.page.screenshot({
      path: join(outFolder, 'screenshots', `job-runs-${theme.replaceAll(' ', '-')}.png`),
    });
    await shell.close();
  });
});
