import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LiveSwitch } from '../src/runs/run/live-switch.ts';
import { runTask } from '../src/runs/run/runner.ts';
import { type Figure, median } from './figures.ts';
import { benchFolder } from './page.ts';
import { benchPlacement, benchPlan } from './placement.ts';

const LIMIT = 25;
const WATCH_MS = 4_000;
const RUNS = 3;

/** Frames per second that arrive at the Runner, of a page that is redrawn all the time. */
export async function liveView(): Promise<readonly Figure[]> {
  await using folder = await benchFolder();
  await using placement = benchPlacement();
  const solution = join(folder.path, 'watch.actions');
  await writeFile(solution, `noop(${WATCH_MS})\n`);
  const rates: number[] = [];
  for (let index = 0; index < RUNS; index += 1) {
    const frames: number[] = [];
    const record = await runTask(
      {
        ...benchPlan(folder, folder.task('animated'), `replay:${solution}`, `live-${index}`),
        live: new LiveSwitch(true),
      },
      placement,
      (event) => {
        if (event.type === 'frame') frames.push(performance.now());
      },
      new AbortController().signal,
    );
    if (record.status !== 'completed') throw new Error(`The bench's own run failed: ${record.error?.message}`);
    const first = frames[0] ?? 0;
    const last = frames.at(-1) ?? 0;
    rates.push(last > first ? ((frames.length - 1) * 1000) / (last - first) : 0);
  }
  const ours = median(rates);
  return [
    {
      name: 'live view of an animated page',
      against: 'the limit',
      ours,
      theirs: LIMIT,
      unit: 'frames/s',
      ratio: ours / LIMIT,
      aim: { atLeast: 1 },
    },
  ];
}
