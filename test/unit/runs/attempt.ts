import { join } from 'node:path';
import type { RunEvent } from '../../../src/runs/events.ts';
import type { RunPlan } from '../../../src/runs/run/plan.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { openRun } from '../../../src/traces/store.ts';
import type { RunRecord, Step } from '../../../src/traces/trace.ts';
import { type FakeAnswers, FakePlacement } from './fake-placement.ts';
import { fileIn, task, temporaryFolder } from './tasks.ts';

interface Outcome {
  readonly record: RunRecord;
  readonly steps: readonly Step[];
  readonly events: readonly RunEvent[];
  readonly placement: FakePlacement;
  readonly folder: string;
}

/** Runs a task with the agent that gives these lines, in an environment that answers so. */
export async function attempt(of: {
  task?: Partial<Task>;
  lines?: string;
  plan?: Partial<RunPlan>;
  answers?: FakeAnswers;
  placement?: FakePlacement;
  signal?: AbortSignal;
  listen?: (event: RunEvent) => void;
}): Promise<Outcome> {
  const out = of.plan?.out ?? (await temporaryFolder());
  const agent = `replay:${await fileIn(out, 'agent.actions', of.lines ?? '')}`;
  const placement = of.placement ?? new FakePlacement(of.answers);
  const events: RunEvent[] = [];
  const record = await runTask(
    { task: task(of.task), agent, seed: 7, jobId: 'job', groupId: 'group', runId: 'run', out, cwd: out, ...of.plan },
    placement,
    (event) => {
      events.push(event);
      of.listen?.(event);
    },
    of.signal ?? new AbortController().signal,
  );
  const folder = join(out, 'job', 'run');
  return { record, steps: await (await openRun(folder)).steps(), events, placement, folder };
}
