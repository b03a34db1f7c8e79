import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { locateBrowser } from '../src/environments/browser/launch/locate.ts';
import type { Placement } from '../src/placement/placement.ts';
import { runTask } from '../src/runs/run/runner.ts';
import { comparePairs, type Figure, median } from './figures.ts';
import { type BenchFolder, type BenchPage, benchFolder } from './page.ts';
import { benchPlacement, benchPlan } from './placement.ts';

const BLOCKS = 6;
const STEPS = 25;

/** Something on each page that can be clicked again and again. */
export const PAGES = [
  { page: 'form', selector: '#remember' },
  { page: 'shop', selector: '#apply' },
  { page: 'table', selector: '#next' },
] as const;

/**
 * A full step (action, observation with picture and text, record on disk) against a minimal script with
 * Playwright alone: a click and a PNG of the same page, in the same browser program. Blocks of both take turns.
 */
export async function step(): Promise<readonly Figure[]> {
  await using folder = await benchFolder();
  await using placement = benchPlacement();
  const location = await locateBrowser();
  if (!('found' in location)) throw new Error(`No browser: ${location.tried.join(', ')}`);
  const browser = await chromium.launch({
    executablePath: location.found.path,
    chromiumSandbox: false,
    args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync'],
  });
  try {
    const figures: Figure[] = [];
    for (const { page, selector } of PAGES) figures.push(await measure(folder, placement, browser, page, selector));
    return figures;
  } finally {
    await browser.close();
  }
}

async function measure(
  folder: BenchFolder,
  placement: Placement,
  browser: Browser,
  id: BenchPage,
  selector: string,
): Promise<Figure> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  // The same origin as ours, so that scripts of the page find cookies and storage.
  await page.route('http://task.localhost/', (route) =>
    route.fulfill({ contentType: 'text/html', body: folder.html(id) }),
  );
  await page.goto('http://task.localhost/');
  const bare = async () => {
    const times: number[] = [];
    for (let index = 0; index < STEPS; index += 1) {
      const from = performance.now();
      await page.click(selector);
      await page.screenshot({ type: 'png' });
      times.push(performance.now() - from);
    }
    return median(times);
  };
  const ours = (block: number) => timeSteps(placement, folder, id, selector, `${id}-${block}`);
  await bare();
  await ours(-1);
  const pairs: { ours: number; theirs: number }[] = [];
  for (let block = 0; block < BLOCKS; block += 1) {
    const theirs = await bare();
    pairs.push({ ours: await ours(block), theirs });
  }
  await context.close();
  return {
    name: `step on a page: ${id}`,
    against: 'a bare Playwright click and PNG screenshot of the same page',
    unit: 'ms',
    ...comparePairs(pairs),
    aim: { atMost: id === 'table' ? 1.4 : 1.3 },
  };
}

/** The median of a run's steps, in milliseconds: each clicks the same element of a page. */
export async function timeSteps(
  placement: Placement,
  folder: BenchFolder,
  id: BenchPage,
  selector: string,
  runId: string,
): Promise<number> {
  const solution = join(folder.path, `${id}.actions`);
  await writeFile(solution, `click('${selector}')\n`.repeat(STEPS));
  const times: number[] = [];
  let last = 0;
  const record = await runTask(
    benchPlan(folder, folder.task(id), `replay:${solution}`, runId),
    placement,
    (event) => {
      if (event.type === 'phase' && event.phase === 'agent') last = performance.now();
      if (event.type !== 'step' || event.step.source !== 'agent') return;
      if (event.step.error) throw new Error(`The bench's own click failed: ${event.step.error.message}`);
      times.push(performance.now() - last);
      last = performance.now();
    },
    new AbortController().signal,
  );
  if (record.status !== 'completed') throw new Error(`The bench's own run failed: ${record.error?.message}`);
  return median(times);
}
