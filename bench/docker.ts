import { setTimeout as delay } from 'node:timers/promises';
import type { Placement } from '../src/placement/placement.ts';
import { comparePairs, type Figure, median } from './figures.ts';
import { timeToFirstFrame } from './first-frame.ts';
import { type BenchFolder, benchFolder } from './page.ts';
import { benchContainers, benchPlacement } from './placement.ts';
import { PAGES, timeSteps } from './step.ts';

const WARM_LIMIT_MS = 250;
const COLD_LIMIT_MS = 1500;
const RUNS = 9;
const BLOCKS = 5;

/** Runs in containers against limits, and their steps against the same steps on this machine. */
export async function docker(): Promise<readonly Figure[]> {
  await using folder = await benchFolder();
  return [await cold(folder), await warm(folder), ...(await steps(folder))];
}

/** With the image built: finds Docker, then creates and starts a container. */
async function cold(folder: BenchFolder): Promise<Figure> {
  const once = async (index: number): Promise<number> => {
    await using placement = benchContainers(0);
    return await timeToFirstFrame(placement, folder, `cold-${index}`);
  };
  // Builds the image where it is missing.
  await once(-1);
  const times: number[] = [];
  for (let index = 0; index < RUNS; index += 1) times.push(await once(index));
  return limitFigure('Docker, cold start to first frame', median(times), COLD_LIMIT_MS);
}

/** A container is kept ready. */
async function warm(folder: BenchFolder): Promise<Figure> {
  await using placement = benchContainers(1);
  await timeToFirstFrame(placement, folder, 'warm');
  const times: number[] = [];
  for (let index = 0; index < RUNS; index += 1) {
    await ready(placement);
    times.push(await timeToFirstFrame(placement, folder, `warm-${index}`));
  }
  return limitFigure('Docker, warm start to first frame', median(times), WARM_LIMIT_MS);
}

/** Resolves when a container waits for a run, and has had a moment to get its browser going. */
async function ready(placement: Placement): Promise<void> {
  while (!placement.running().some(({ tasks }) => tasks.length === 0)) await delay(50);
  await delay(1500);
}

async function steps(folder: BenchFolder): Promise<Figure[]> {
  await using local = benchPlacement();
  await using containers = benchContainers(0);
  const figures: Figure[] = [];
  for (const { page, selector } of PAGES) {
    const pairs: { ours: number; theirs: number }[] = [];
    for (let block = -1; block < BLOCKS; block += 1) {
      const theirs = await timeSteps(local, folder, page, selector, `here-${page}-${block}`);
      const ours = await timeSteps(containers, folder, page, selector, `there-${page}-${block}`);
      if (block >= 0) pairs.push({ ours, theirs });
    }
    figures.push({
      name: `Docker, step on a page: ${page}`,
      against: 'the same step on this machine',
      unit: 'ms',
      ...comparePairs(pairs),
      aim: { atMost: 1.15 },
    });
  }
  return figures;
}

function limitFigure(name: string, ours: number, limit: number): Figure {
  return { name, against: 'the limit', ours, theirs: limit, unit: 'ms', ratio: ours / limit, aim: { atMost: 1 } };
}
