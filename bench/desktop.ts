import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EMPTY_RANGE } from '../src/base/range.ts';
import type { Placement } from '../src/placement/placement.ts';
import type { RunEvent } from '../src/runs/events.ts';
import { LiveSwitch } from '../src/runs/run/live-switch.ts';
import { runTask } from '../src/runs/run/runner.ts';
import type { Call, Task } from '../src/tasks/task.ts';
import { type Figure, median } from './figures.ts';
import { type BenchFolder, benchFolder } from './page.ts';
import { benchContainers, benchPlacement, benchPlan } from './placement.ts';

const STEP_LIMIT_MS = 40;
const READY_LIMIT_MS = 300;
const LEAST_FRAMES = 20;
const STEPS = 60;
const WATCH_MS = 4_000;
const RUNS = 9;

/** A desktop against limits: its steps, its live picture, and its start in a container that is kept ready. */
export async function desktop(): Promise<readonly Figure[]> {
  await using folder = await benchFolder();
  await using local = benchPlacement();
  return [await steps(folder, local), await live(folder, local), await ready(folder)];
}

/** A click and the picture of 1280 × 800 after it, with a terminal and a text editor open. */
async function steps(folder: BenchFolder, placement: Placement): Promise<Figure> {
  const clicks = Array.from({ length: STEPS }, (_, index) => `mouse_click(${300 + (index % 20)}, 300)\n`);
  const solution = join(folder.path, 'desktop.actions');
  await writeFile(solution, clicks.join(''));
  const times: number[] = [];
  let last = 0;
  const task = desktopTask(folder, launch('l3afpad'), launch('xterm', '-e', 'ls -l /usr/bin; exec sleep 1000'));
  await complete(folder, placement, task, `replay:${solution}`, (event) => {
    if (event.type === 'phase' && event.phase === 'agent') last = performance.now();
    if (event.type !== 'step' || event.step.source !== 'agent') return;
    times.push(performance.now() - last);
    last = performance.now();
  });
  const ours = median(times);
  return {
    name: 'step on a desktop',
    against: 'the limit',
    ours,
    theirs: STEP_LIMIT_MS,
    unit: 'ms',
    ratio: ours / STEP_LIMIT_MS,
    aim: { atMost: 1 },
  };
}

/** Frames per second that arrive at the Runner, of a screen on which a terminal writes all the time. */
async function live(folder: BenchFolder, placement: Placement): Promise<Figure> {
  const solution = join(folder.path, 'desktop.actions');
  await writeFile(solution, `noop(${WATCH_MS})\n`);
  const frames: number[] = [];
  const script = 'while :; do ls -l /usr/bin | head -40; sleep 0.02; done';
  const task = desktopTask(folder, launch('xterm', '-geometry', '120x45', '-e', script));
  let acting = false;
  const hear = (event: RunEvent): void => {
    if (event.type === 'phase') acting = event.phase === 'agent';
    if (event.type === 'frame' && acting) frames.push(performance.now());
  };
  await complete(folder, placement, task, `replay:${solution}`, hear, true);
  const [first = 0, last = 0] = [frames[0], frames.at(-1)];
  const ours = last > first ? ((frames.length - 1) * 1000) / (last - first) : 0;
  return {
    name: 'live view of a busy desktop',
    against: 'the limit',
    ours,
    theirs: LEAST_FRAMES,
    unit: 'frames/s',
    ratio: ours / LEAST_FRAMES,
    aim: { atLeast: 1 },
  };
}

/** From asking for a run to its first step, in a container that is kept ready. */
async function ready(folder: BenchFolder): Promise<Figure> {
  await using placement = benchContainers(1);
  const solution = join(folder.path, 'desktop.actions');
  await writeFile(solution, 'mouse_click(5, 5)\n');
  const once = async (): Promise<number> => {
    const from = performance.now();
    let start = 0;
    await complete(folder, placement, desktopTask(folder), `replay:${solution}`, (event) => {
      if (event.type === 'phase' && event.phase === 'agent' && start === 0) start = performance.now() - from;
    });
    return start;
  };
  // Builds the image where it is missing.
  await once();
  const times: number[] = [];
  for (let index = 0; index < RUNS; index += 1) {
    while (!placement.running().some(({ tasks }) => tasks.length === 0)) await delay(50);
    await delay(500);
    times.push(await once());
  }
  const ours = median(times);
  return {
    name: 'desktop, warm start in a container',
    against: 'the limit',
    ours,
    theirs: READY_LIMIT_MS,
    unit: 'ms',
    ratio: ours / READY_LIMIT_MS,
    aim: { atMost: 1 },
  };
}

let runs = 0;

async function complete(
  folder: BenchFolder,
  placement: Placement,
  task: Task,
  agent: string,
  hear: (event: RunEvent) => void,
  isWatched = false,
): Promise<void> {
  runs += 1;
  const plan = { ...benchPlan(folder, task, agent, `desktop-${runs}`), live: new LiveSwitch(isWatched) };
  const record = await runTask(plan, placement, hear, new AbortController().signal);
  if (record.status !== 'completed') throw new Error(`The bench's own run failed: ${record.error?.message}`);
}

function desktopTask(folder: BenchFolder, ...setup: Call[]): Task {
  return { ...folder.task('shop'), env: { type: 'hud-ubuntu' }, initial_state: {}, setup, evaluate: [] };
}

function launch(...command: string[]): Call {
  return { function: 'launch', args: [command], range: EMPTY_RANGE };
}
