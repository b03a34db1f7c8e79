import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { locateBrowser } from '../src/environments/browser/locate.ts';
import { runTask } from '../src/runs/runner.ts';
import { type Figure, median } from './figures.ts';
import { benchFolder } from './page.ts';
import { benchPlacement, benchPlan } from './placement.ts';

const BLOCKS = 6;
const STEPS = 25;

/**
 * A full step (action, observation with picture and text, record on disk) against what anyone would write with
 * Playwright alone: a click and a PNG of the same page, in the same browser program. Blocks of both take turns.
 */
export async function step(): Promise<readonly Figure[]> {
  await using folder = await benchFolder();
  await using placement = benchPlacement();
  const located = await locateBrowser();
  if (!('found' in located)) throw new Error(`No browser: ${located.tried.join(', ')}`);
  const solution = join(folder.path, 'clicks.actions');
  await writeFile(solution, "click('#next')\n".repeat(STEPS));

  const browser = await chromium.launch({
    executablePath: located.found.path,
    chromiumSandbox: false,
    args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync'],
  });
  try {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage();
    await page.setContent(folder.html);
    const bare = async () => {
      const times: number[] = [];
      for (let index = 0; index < STEPS; index += 1) {
        const from = performance.now();
        await page.click('#next');
        await page.screenshot({ type: 'png' });
        times.push(performance.now() - from);
      }
      return median(times);
    };
    const ours = async (block: number) => {
      const times: number[] = [];
      let last = 0;
      const record = await runTask(
        benchPlan(folder, folder.task('ordinary'), `replay:${solution}`, `step-${block}`),
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
    };
    await bare();
    await ours(-1);
    const pairs: { bare: number; ours: number }[] = [];
    for (let block = 0; block < BLOCKS; block += 1) pairs.push({ bare: await bare(), ours: await ours(block) });
    return [
      {
        name: 'step: act, observe, record',
        against: 'a bare Playwright click and PNG screenshot of the same page',
        ours: median(pairs.map((pair) => pair.ours)),
        theirs: median(pairs.map((pair) => pair.bare)),
        unit: 'ms',
        ratio: median(pairs.map((pair) => pair.ours / pair.bare)),
        aim: { atMost: 1.3 },
      },
    ];
  } finally {
    await browser.close();
  }
}
