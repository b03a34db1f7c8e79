import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outFolder } from '../../../scripts/places.ts';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import type { RescoredRunRow, RescoreHead } from '../../../src/presentation/rescoring/messages.ts';
import { inOrder } from '../../../src/presentation/rescoring/present.ts';
import { summarizeChanges } from '../../../src/results/rescore-change.ts';
import { openBrowser, Shell, type ShellOptions } from './shell.ts';
import { violationsOf } from './violations.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

/** In turn better, unchanged, worse, undecided, unchanged. */
function rowsOf(count: number): RescoredRunRow[] {
  return Array.from({ length: count }, (_, index): RescoredRunRow => {
    const kind = (['up', 'same', 'down', 'unknown', 'same'] as const)[index % 5] ?? 'same';
    const value = {
      up: { old: '0.50', new: '1.00', change: 'up' },
      down: { old: '1.00', new: '0.00', change: 'down' },
      unknown: { old: '1.00', new: '–', change: 'unknown' },
      same: { old: '1.00', new: '1.00', change: 'same' },
    } as const;
    return {
      traceDir: `/jobs/j/run-${index}`,
      task: `place-order-${index}`,
      description: 'solution · 3 min ago',
      problem: null,
      turns: kind === 'up' ? '0.00, from step 4 on 1.00' : '',
      calls: [
        { text: 'page_contains("Order placed")', reason: 'it says “Order placed”', range: EMPTY_RANGE, ...value[kind] },
        { text: 'response_is("done")', reason: 'it is', range: EMPTY_RANGE, ...value.same },
      ],
      ...value[kind],
    };
  });
}

const headOf = (runs: readonly RescoredRunRow[], more: Partial<RescoreHead> = {}): RescoreHead => ({
  title: 'shop.tasks.json',
  total: runs.length,
  done: runs.length,
  status: 'ended',
  everyStep: false,
  summary: summarizeChanges(runs.map(({ change }) => change)),
  ...more,
});

const open = (options: ShellOptions = {}) => Shell.open(browser, [], { show: 'rescore', ...options });
const ended = (count: number) => {
  const runs = inOrder(rowsOf(count));
  return { type: 'results', head: headOf(runs), traceDirs: runs.map(({ traceDir }) => traceDir), runs } as const;
};

/** What the page says, whatever kind of page it is. */
async function postedMessages(shell: Shell): Promise<readonly unknown[]> {
  return await shell.messages();
}

describe('the page of re-scored runs', () => {
  it('lists changes first, each changed call below its run; a click shows the run or the call', async () => {
    const shell = await open();
    await shell.send(ended(5));
    expect(await shell.page.locator('.rescore-summary').innerText()).toMatch(/^2 of 5 changed: 1 up, 1 down; 1 cannot/);
    const labels = await shell.page
      .getByRole('row')
      .evaluateAll((rows) => rows.map((row) => `${row.ariaLevel} ${row.ariaLabel}`));
    expect(labels.slice(0, 4)).toEqual([
      '1 place-order-0: better, from 0.50 to 1.00, 0.00, from step 4 on 1.00 · solution · 3 min ago',
      '2 page_contains("Order placed"): better, from 0.50 to 1.00, it says “Order placed”',
      '1 place-order-2: worse, from 1.00 to 0.00, solution · 3 min ago',
      '2 page_contains("Order placed"): worse, from 1.00 to 0.00, it says “Order placed”',
    ]);
    expect(labels).toHaveLength(8);
    const toolbar = await shell.page.getByRole('toolbar').boundingBox();
    expect((toolbar?.x ?? 0) + (toolbar?.width ?? 0)).toBeGreaterThan(740);
    await shell.page.getByRole('row', { name: /^place-order-2/ }).click();
    await shell.page.getByRole('row', { name: /worse.*Order placed”/ }).click();
    expect(await postedMessages(shell)).toEqual(
      expect.arrayContaining([
        { type: 'open', traceDir: '/jobs/j/run-2' },
        { type: 'reveal', traceDir: '/jobs/j/run-2', call: 0 },
      ]),
    );
    expect(await shell.problems()).toEqual([]);
    await shell.close();
  });

  it('is navigated with the keyboard, and renders visible rows only', async () => {
    const shell = await open();
    await shell.send(ended(500));
    expect(await shell.page.getByRole('row').count()).toBeLessThan(70);
    expect(await shell.page.locator('.rescore-table [tabindex="0"]').count()).toBe(1);
    await shell.page.locator('.rescore-table [tabindex="0"]').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp']) await shell.page.keyboard.press(key);
    await shell.page.keyboard.press('Enter');
    expect(await postedMessages(shell)).toContainEqual({ type: 'open', traceDir: '/jobs/j/run-2' });
    await shell.page.keyboard.press('End');
    await shell.drawn();
    expect(await shell.page.locator('.rescore-row:focus').getAttribute('aria-label')).toMatch(/^place-order-499/);
    await shell.close();
  });

  it('follows the progress, shows a summary, and requests every step', async () => {
    const shell = await open();
    const runs = rowsOf(4);
    await shell.send({ type: 'results', head: headOf([], { total: 4, status: 'running' }), traceDirs: [], runs: [] });
    await shell.send({
      type: 'progress',
      head: headOf(runs.slice(0, 2), { total: 4, status: 'running' }),
      runs: runs.slice(0, 2),
    });
    expect(await shell.page.locator('.verdict-badge').innerText()).toBe('2/4 re-scoring');
    await shell.page.getByRole('button', { name: 'Stop' }).click();
    expect(await postedMessages(shell)).toContainEqual({ type: 'stop' });
    await shell.send({ type: 'results', head: headOf(runs), traceDirs: [], runs: inOrder(runs) });
    expect(await shell.page.getByRole('status').innerText()).toMatch(
      /^Re-score of shop\.tasks\.json ended: 2 of 4 changed/,
    );
    await shell.page.locator('vscode-button', { hasText: 'Every Step' }).click();
    expect(await postedMessages(shell)).toContainEqual({ type: 'again', everyStep: true });
    await shell.close();
  });

  it.each(['dark', 'light', 'high contrast', 'high contrast light'] as const)('is accessible in %s', async (theme) => {
    const shell = await open({ theme, height: 460 });
    await shell.send(ended(12));
    await shell.page.keyboard.press('Tab');
    expect(await violationsOf(shell.page)).toEqual([]);
    await mkdir(join(outFolder, 'screenshots'), { recursive: true });
    await shell.page.screenshot({
      path: join(outFolder, 'screenshots', `rescore-${theme.replaceAll(' ', '-')}.png`),
    });
    await shell.close();
  });
});
