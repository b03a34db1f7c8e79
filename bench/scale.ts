import { join } from 'node:path';
import { presentHead, presentRows } from '../src/presentation/jobs/present.ts';
import { recordedJob } from '../src/presentation/jobs/recorded-job.ts';
import { listJobs } from '../src/traces/store.ts';
import { openBrowser, Shell } from '../test/system/panel/shell.ts';
import { timeOfCommand } from './command-line.ts';
import { type Figure, median } from './figures.ts';
import { thousandLanes, threeNodes } from './lanes.ts';
import { type BenchFolder, benchFolder } from './page.ts';
import { recordJob } from './recorded-job.ts';

const SAMPLES = 3;
const SHARDS = 4;

/** Large jobs: on disk, over several nodes, and in many lanes. */
export async function* scale(): AsyncGenerator<Figure> {
  await using folder = await benchFolder();
  yield await merging(folder);
  yield* await tenThousandRuns(folder);
  yield* await threeNodes(folder);
  yield* await thousandLanes(folder);
}

/** `taskwright merge` of runs with five steps, each with a screenshot. */
async function merging(folder: BenchFolder): Promise<Figure> {
  const shards = await recordJob(join(folder.path, 'shards'), {
    task: folder.task('shop'),
    tasks: 50,
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
  return limit(`merging 200 runs of ${SHARDS} shards`, times, 2000);
}

/** A job of 10,000 runs: `taskwright show`, the list of the editor, and the page of the job. */
async function tenThousandRuns(folder: BenchFolder): Promise<readonly Figure[]> {
  const root = join(folder.path, 'many');
  const job = { task: folder.task('shop'), tasks: 2500, group: 4, shards: 1, steps: 2, picture: 0 };
  const [path = ''] = await recordJob(root, job);
  const showTimes: number[] = [];
  const listTimes: number[] = [];
  const pages: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    showTimes.push(await timeOfCommand(['show', path], folder.path));
    const start = performance.now();
    await listJobs(root);
    listTimes.push(performance.now() - start);
  }
  const browser = await openBrowser();
  for (let sample = 0; sample < SAMPLES; sample += 1)
    pages.push(await firstRows(await Shell.open(browser, [], { show: 'job' }), root));
  await browser.close();
  return [
    limit('show of a job of 10,000 runs', showTimes, 1000),
    limit('reading 10,000 runs for the editor', listTimes, 3000),
    limit('first rows of their page', pages, 300),
  ];
}

/** From the parsed job to its rows on the screen. */
async function firstRows(shell: Shell, root: string): Promise<number> {
  const [entry] = await listJobs(root);
  const start = performance.now();
  const job = entry === undefined ? null : recordedJob(entry);
  if (job === null) throw new Error('The job cannot be read.');
  const message = JSON.stringify({ type: 'job', head: presentHead(job), rows: presentRows(job) });
  const presentMs = performance.now() - start;
  const drawMs = await shell.page.evaluate(async (json) => {
    const drawStart = performance.now();
    window.dispatchEvent(new MessageEvent('message', { data: JSON.parse(json) }));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    if (document.querySelector('.grid-row') === null) throw new Error('The page shows no rows.');
    return performance.now() - drawStart;
  }, message);
  await shell.close();
  return presentMs + drawMs;
}

function limit(name: string, samples: readonly number[], theirs: number): Figure {
  const ours = median(samples);
  return { name, against: 'the limit', ours, theirs, unit: 'ms', ratio: ours / theirs, aim: { atMost: 1 } };
}
