import type { JsonObject } from '../../base/json.ts';
import type { Task } from '../../tasks/task.ts';
import type { RecordedRun } from '../../traces/store.ts';
import type { RunRecord, Step } from '../../traces/trace.ts';
import { type Added, FollowedRun } from './followed-run.ts';
import type { PanelStatus } from './messages.ts';

/** A run that the panel and the inline values show, in progress or read from disk. */
export interface ReadableRun {
  readonly runId: string;
  /** Null until the trace exists on disk. */
  readonly traceDir: string | null;
  /** As it was when the run began. */
  readonly task: Task;
  /** Empty until the environment provides it, if the task has none. */
  readonly prompt: string;
  readonly agent: string;
  readonly seed: number;
  readonly runtime: string;
  /** See `TraceHeader`; absent for a run in progress. */
  readonly origin?: string;
  /** Where the environment of a run in progress is, if there are several hosts. */
  readonly host?: string | null;
  readonly startedAt: string;
  readonly status: PanelStatus;
  /** Null until the run has ended. */
  readonly record: RunRecord | null;
  /** Errors of earlier attempts, oldest first. */
  readonly retried?: RunRecord['retried'];
  /** JSON Schema of an action, if the environment of a run in progress publishes one. */
  readonly actions?: JsonObject | undefined;
  /** The address of the MCP server at which the run waits for an external agent. */
  readonly waitingAt?: string | null;
  /** Of a run in progress in another process: reads what was added since the last read. */
  readonly refresh?: () => Promise<Added>;
  steps(): Promise<readonly Step[]>;
  step(index: number): Promise<Step | undefined>;
}

/** A run from disk. A run in progress in another process has its steps so far, and `refresh` reads those that follow. */
export function recordedRun(run: RecordedRun): ReadableRun {
  const { header, record } = run;
  const followedRun = run.running ? new FollowedRun(run) : null;
  return {
    runId: header.run_id,
    traceDir: run.traceDir,
    task: header.task,
    prompt: record.prompt === '' ? header.prompt : record.prompt,
    agent: header.agent,
    seed: header.seed,
    runtime: header.runtime,
    origin: header.origin,
    startedAt: header.started_at,
    status: run.running ? 'running' : record.status,
    record: run.running ? null : record,
    retried: record.retried,
    ...(followedRun === null ? {} : { refresh: () => followedRun.refresh() }),
    steps: () => (followedRun ?? run).steps(),
    async step(index) {
      if (followedRun !== null) return (await followedRun.steps())[index];
      return index >= 0 && index < run.stepCount ? await run.step(index) : undefined;
    },
  };
}
