import { join } from 'node:path';
import { timeOfCommand } from './command-line.ts';
import { type Figure, median } from './figures.ts';
import { type BenchFolder, benchFolder } from './page.ts';
import { recordJob } from './recorded-job.ts';

const MERGED_RUNS = 200;
const MERGE_LIMIT_MS = 2000;
const SHARDS = 4;
const SAMPLES = 3;

/** Large jobs on disk. */
export async function scale(): Promise<readonly Figure[]> {
  await using folder = await benchFolder();
  return [await merging(folder)];
}

/** `taskwright merge` of runs as the shop example has them: five steps, each with a screenshot. */
async function merging(folder: BenchFolder): Promise<Figure> {
  const shards = await recordJob(join(folder.path, 'shards'), {
    task: folder.task('shop'),
    tasks: MERGED_RUNS / 4,
    group: 4,
    shards: SHARDS,
    steps: 5,
    picture: 40_000,
  });
  const times: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const out = join(folder.path, `merged-${sample}`);
    // Not every run passed.
    times.push(await timeOfCommand(['merge', ...shards, '--out', out, '--json'], folder.path, 1));
  }
  const ours = median(times);
  return {
    name: `merging ${MERGED_RUNS} runs of ${SHARDS} shards`,
    against: 'the limit',
    ours,
    theirs: MERGE_LIMIT_MS,
    unit: 'ms',
    ratio: ours / MERGE_LIMIT_MS,
    aim: { atMost: 1 },
  };
}
