import { join } from 'node:path';
import { dockerPlacement } from '../src/placement/containers.ts';
import { localPlacement } from '../src/placement/local.ts';
import type { Placement } from '../src/placement/placement.ts';
import type { RunPlan } from '../src/runs/run/plan.ts';
import type { Task } from '../src/tasks/task.ts';
import type { BenchFolder } from './page.ts';

const dist = join(import.meta.dirname, '..', 'dist');

/** Our own environment server from `dist/`, as the extension and the command line start it. */
export function benchPlacement(): Placement & AsyncDisposable {
  const placement = localPlacement({
    serverProgram: join(dist, 'server.js'),
    log: (text) => process.stderr.write(`${text}\n`),
  });
  return Object.assign(placement, { [Symbol.asyncDispose]: () => placement.dispose() });
}

/** Containers of the same server; `warm` of them are kept ready. */
export function benchContainers(warm: number): Placement & AsyncDisposable {
  const placement = dockerPlacement({ installation: join(dist, '..'), limits: {}, warm, log: () => {} });
  return Object.assign(placement, { [Symbol.asyncDispose]: () => placement.dispose() });
}

/** A run of a bench's task, recorded in the bench's own folder. */
export function benchPlan(folder: BenchFolder, task: Task, agent: string, runId: string): RunPlan {
  return {
    task,
    agent,
    seed: 0,
    jobId: 'bench',
    groupId: 'bench',
    runId,
    out: join(folder.path, 'jobs'),
    cwd: folder.path,
    agentProgram: join(dist, 'agent.js'),
  };
}
