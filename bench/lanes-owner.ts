// The owner of simulated lanes, as a process, so that its processor time and memory are its own: makes a job as
// `taskwright run --placement swarm` does, with the Runner, an agent that thinks, and all records on disk.
// `lanes-owner.ts FOLDER LANES RUNS` prints an `OwnersUse` as JSON.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from '../src/agents/agent.ts';
import type { LaneEngine } from '../src/placement/lanes/engine.ts';
import { LaneHub } from '../src/placement/lanes/hub.ts';
import { LanePlacement } from '../src/placement/lanes/placement.ts';
import { startJob } from '../src/runs/job/job.ts';
import { DEFAULT_RETRIES, makeRuns } from '../src/runs/job/job-runs.ts';
import type { JobPlan } from '../src/traces/job-file.ts';
import { benchFolder } from './page.ts';
import type { LanesOrder } from './simulated-lanes.ts';

export interface OwnersUse {
  readonly seconds: number;
  /** Processor time. */
  readonly processor_seconds: number;
  /** The most memory it had, in MB. */
  readonly memory: number;
  /** Runs that ended with a reward, and how many of them needed another attempt. */
  readonly completed: number;
  readonly retried: number;
}

/** How long the agent waits before each answer, in ms: as long as a small, local model takes. */
const THINKING = 1_000;
const STEPS = 2;

const agent: Agent = {
  act: async ({ step }) => {
    await delay(THINKING);
    return { actions: step < STEPS ? "click('#apply')" : null };
  },
  close: async () => {},
};

/** Lanes in a child process, whose standard streams are those of a relay. */
function simulatedEngine(lanes: number): LaneEngine<null> {
  let child: ChildProcess | null = null;
  return {
    ensureImage: async () => null,
    startRelay: async ({ secret, onLane }) => {
      child = fork(join(import.meta.dirname, 'simulated-lanes.ts'), [], { stdio: ['pipe', 'pipe', 'inherit', 'ipc'] });
      const [input, output] = [child.stdout as Readable, child.stdin as Writable];
      const end = Promise.withResolvers<string>();
      const hub = new LaneHub({ input, output, secret, onLane, onEnd: end.resolve });
      const childClose = once(child, 'close');
      const close = async (): Promise<void> => {
        hub.close();
        output.end();
        await childClose;
      };
      return { whenEnded: end.promise, close };
    },
    startLanes: async ({ name }) => void child?.send({ group: name, lanes } satisfies LanesOrder),
    whyNoLane: async () => null,
    endOf: async () => null,
    remove: async () => {},
  };
}

const [out = '', lanes = 0, count = 0] = process.argv.slice(2).map((word, at) => (at === 0 ? word : Number(word)));
await using folder = await benchFolder();
const task = folder.task('shop');
const runs = Array.from({ length: Number(count) }, (_, index) => ({
  plannedRun: {
    run_id: `run-${index}`,
    ...{ file: task.file, task_id: task.id ?? '', index: 0, group_id: 'group', seed: index },
    ...{ agent: 'program', placement: 'swarm' as const, error: null },
  },
  task,
  done: null,
}));
const plan: JobPlan = { cwd: folder.path, runs: runs.map(({ plannedRun }) => plannedRun) };
const placement = new LanePlacement({
  ...{ kind: 'swarm', name: 'simulated lanes', lanes: Number(lanes), limits: {}, log: () => {} },
  connect: async () => simulatedEngine(Number(lanes)),
});
const job = await startJob(String(out), { retention: null, plan });
const start = performance.now();
const before = process.cpuUsage();
let completed = 0;
let retried = 0;
await makeRuns({ ...job, plan }, runs, {
  concurrency: Number(lanes),
  retries: DEFAULT_RETRIES,
  placement: async () => placement,
  started: () => ({ listen: () => {}, client: agent }),
  ended: (result) => {
    if (result.reward === 1) completed += 1;
    if ('retried' in result && result.retried !== undefined) retried += 1;
  },
  agentProgram: join(import.meta.dirname, '..', 'dist', 'agent.js'),
  signal: new AbortController().signal,
});
const { user, system } = process.cpuUsage(before);
const use: OwnersUse = {
  seconds: (performance.now() - start) / 1e3,
  processor_seconds: (user + system) / 1e6,
  memory: process.resourceUsage().maxRSS / 1024,
  completed,
  retried,
};
await job.end();
await placement.dispose();
process.stdout.write(JSON.stringify(use));
