import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DebugClient } from '@vscode/debugadapter-testsupport';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { TaskDebugSession } from '../src/debugger/adapter.ts';
import { Breakpoints } from '../src/debugger/breakpoints.ts';
import type { DebugHost } from '../src/debugger/host.ts';
import { LiveDebuggee } from '../src/debugger/live.ts';
import type { Placement } from '../src/placement/placement.ts';
import type { RunListener } from '../src/runs/events.ts';
import { runTask } from '../src/runs/run/runner.ts';
import { loadTaskFile } from '../src/tasks/discover.ts';
import { taskName } from '../src/tasks/name.ts';
import type { Call, Task } from '../src/tasks/task.ts';
import type { RunRecord } from '../src/traces/trace.ts';
import { type Figure, median } from './figures.ts';
import { type BenchFolder, benchFolder } from './page.ts';
import { benchPlacement, benchPlan } from './placement.ts';

const CALLS = 40;
const BLOCKS = 6;
const STEPS = 25;
/** Milliseconds that a person perceives as immediate. */
const LIMITS = { call: 5, stepBack: 100 };

/** A client in the same process. */
class Client extends DebugClient {
  constructor(from: PassThrough, to: PassThrough) {
    super('node', '', 'taskwright');
    this.connect(from, to);
  }
}

/** What debugging costs: a call that is passed without a stop, and a step back in a recorded run. */
export async function debugging(): Promise<readonly Figure[]> {
  await using folder = await benchFolder();
  await using placement = benchPlacement();
  return [await passing(folder, placement), await steppingBack(folder, placement)];
}

/** Every call has a breakpoint whose condition is evaluated and never met, against a run without a debugger. */
async function passing(folder: BenchFolder, placement: Placement): Promise<Figure> {
  const shop = folder.task('shop');
  const call: Call = { function: 'page_contains', args: ['Place order'], range: shop.range };
  const task: Task = { ...shop, evaluate: Array.from({ length: CALLS }, () => call) };
  const solution = await actions(folder, 'noop()\n');
  const alone = async (runId: string): Promise<number> => {
    const watch = stopwatch();
    const { signal } = new AbortController();
    return watch.read(await runTask(benchPlan(folder, task, solution, runId), placement, watch.listen, signal));
  };
  const timeOfDebugging = async (runId: string): Promise<number> => {
    const watch = stopwatch();
    const end = Promise.withResolvers<void>();
    let record: RunRecord | null = null;
    const host: DebugHost = {
      ...hostOf(folder, placement),
      run: async (request) => {
        const plan = { ...benchPlan(folder, task, solution, runId), debugger: request.debugger };
        const listen: RunListener = (event) => {
          request.listen(event);
          watch.listen(event);
        };
        record = await runTask(plan, placement, listen, request.signal);
        return record;
      },
    };
    const breakpoints = new Breakpoints();
    breakpoints.setCalls(
      task.file,
      task.evaluate.map((at, index) => {
        const location = { task: taskName(task), phase: 'evaluate', index, call: at } as const;
        return { id: index, file: task.file, location, condition: 'step > 99 and url == "x"', hits: 0 };
      }),
    );
    new LiveDebuggee(
      host,
      {
        ...{
          task,
          agent: undefined,
          placement: undefined,
          seed: 0,
          debugged: true,
          stopOnEntry: false,
          keepEnvironment: false,
        },
        ...{ breakpoints, debuggers: undefined },
      },
      { stopped: () => end.reject(new Error('It stopped.')), output: () => {}, ended: () => end.resolve() },
    ).start();
    await end.promise;
    if (record === null) throw new Error('The bench’s own run failed.');
    return watch.read(record);
  };
  await alone('alone-first');
  const pairs: { ours: number; bare: number }[] = [];
  for (let block = 0; block < BLOCKS; block += 1) {
    pairs.push({ bare: await alone(`alone-${block}`), ours: await timeOfDebugging(`debugged-${block}`) });
  }
  const overhead = median(pairs.map(({ ours, bare }) => Math.max(0, ours - bare)));
  return {
    name: 'a call that is passed, debugged',
    against: `${LIMITS.call} ms more than without a debugger (${median(pairs.map(({ bare }) => bare)).toFixed(1)} ms)`,
    ours: overhead,
    theirs: LIMITS.call,
    unit: 'ms',
    ratio: overhead / LIMITS.call,
    aim: { atMost: 1 },
  };
}

/** Listens to a run and measures the median time between two of its evaluate calls, in milliseconds. */
function stopwatch(): { readonly listen: RunListener; read(record: RunRecord): number } {
  const ends: number[] = [];
  return {
    listen: (event) => {
      if (event.type === 'step' && event.step.source === 'evaluate') ends.push(performance.now());
    },
    read: ({ status, error }) => {
      if (status !== 'completed') throw new Error(`The bench’s own run failed: ${error?.message}`);
      return median(ends.slice(1).map((end, index) => end - (ends[index] ?? 0)));
    },
  };
}

/** From the click to the earlier state on screen: the stop, the stack, and the page of that step, asked and listed. */
async function steppingBack(folder: BenchFolder, placement: Placement): Promise<Figure> {
  const solution = await actions(folder, "click('#apply')\n".repeat(STEPS));
  const plan = benchPlan(folder, folder.task('shop'), solution, 'back');
  await runTask(plan, placement, () => {}, new AbortController().signal);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const session = new TaskDebugSession(hostOf(folder, placement));
  session.start(input, output);
  const client = new Client(output, input);
  await client.initializeRequest();
  const firstStop = client.waitForEvent('stopped');
  const run = join(folder.path, 'jobs', 'bench', 'back');
  await client.launchRequest({ run, step: STEPS } as DebugProtocol.LaunchRequestArguments);
  await client.configurationDoneRequest();
  await firstStop;
  const times: number[] = [];
  for (let step = 1; step < STEPS; step += 1) {
    const from = performance.now();
    const stop = client.waitForEvent('stopped');
    await client.stepBackRequest({ threadId: 1 });
    await stop;
    await client.stackTraceRequest({ threadId: 1 });
    const { scopes } = (await client.scopesRequest({ frameId: 1 })).body;
    for (const { variablesReference } of scopes) await client.variablesRequest({ variablesReference });
    times.push(performance.now() - from);
  }
  await client.disconnectRequest();
  await session.finished;
  const back = median(times);
  return {
    name: 'a step back, its page included',
    against: `${LIMITS.stepBack} ms, the longest of them ${Math.max(...times).toFixed(0)} ms`,
    ours: back,
    theirs: LIMITS.stepBack,
    unit: 'ms',
    ratio: back / LIMITS.stepBack,
    aim: { atMost: 1 },
  };
}

function hostOf(folder: BenchFolder, placement: Placement): DebugHost {
  const none = (): never => {
    throw new Error('The bench finds and runs nothing by its address.');
  };
  return {
    cwd: folder.path,
    find: none,
    read: loadTaskFile,
    judging: async () => placement,
    run: none,
    defaultSeed: () => 0,
  };
}

async function actions(folder: BenchFolder, text: string): Promise<string> {
  const path = join(folder.path, 'debugged.actions');
  await writeFile(path, text);
  return `replay:${path}`;
}
