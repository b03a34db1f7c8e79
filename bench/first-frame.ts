import type { Placement } from '../src/placement/placement.ts';
import { LiveSwitch } from '../src/runs/run/live-switch.ts';
import { runTask } from '../src/runs/run/runner.ts';
import { type Figure, median } from './figures.ts';
import { type BenchFolder, benchFolder } from './page.ts';
import { benchPlacement, benchPlan } from './placement.ts';

const LIMIT_MS = 400;
const RUNS = 15;

/** From asking for a run, with the environment server warm, to the first frame of the live picture. */
export async function firstFrame(): Promise<readonly Figure[]> {
  await using folder = await benchFolder();
  await using placement = benchPlacement();
  const once = (index: number) => timeToFirstFrame(placement, folder, `frame-${index}`);
  await once(-1);
  const times: number[] = [];
  for (let index = 0; index < RUNS; index += 1) times.push(await once(index));
  const ours = median(times);
  return [
    {
      name: 'warm start to first frame',
      against: 'the limit',
      ours,
      theirs: LIMIT_MS,
      unit: 'ms',
      ratio: ours / LIMIT_MS,
      aim: { atMost: 1 },
    },
  ];
}

/** Milliseconds from asking for a run to the first frame of its live picture. */
export async function timeToFirstFrame(placement: Placement, folder: BenchFolder, runId: string): Promise<number> {
  const stop = new AbortController();
  const from = performance.now();
  let first = 0;
  const record = await runTask(
    { ...benchPlan(folder, folder.task('shop'), 'process:sleep 1000', runId), live: new LiveSwitch(true) },
    placement,
    (event) => {
      if (event.type === 'frame' && first === 0) {
        first = performance.now() - from;
        stop.abort();
      }
    },
    stop.signal,
  );
  if (first === 0) throw new Error(`No frame came: ${record.error?.message ?? record.status}`);
  return first;
}
