import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openRun, type RecordedRun } from '../../runs/store/store.ts';
import type { RunRecord, Step } from '../../runs/store/trace.ts';
import type { Json, Task } from '../../tasks/task.ts';
import type { PanelStatus } from '../panel/messages.ts';

/** A run that the panel and the inline values show, in progress or read from disk. */
export interface ShownRun {
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
  /** Where the environment of a run in progress is, if there are several hosts. */
  readonly host?: string | null;
  readonly startedAt: string;
  readonly status: PanelStatus;
  /** Null until the run has ended. */
  readonly record: RunRecord | null;
  /** JSON Schema of an action, if the environment of a run in progress publishes one. */
  readonly actions?: Readonly<Record<string, Json>> | undefined;
  /** The address of the MCP server at which the run waits for an agent from outside. */
  readonly waitingAt?: string | null;
  /**
   * Of a run in progress in another process: reads what was added since the last read. Returns whether there are new steps.
   */
  readonly refresh?: () => Promise<boolean>;
  steps(): Promise<readonly Step[]>;
  step(index: number): Promise<Step | undefined>;
}

/** A run from disk. A run in progress in another process has its steps so far, and `refresh` reads those that follow. */
export function recordedRun(opened: RecordedRun): ShownRun {
  let run = opened;
  let size = 0;
  const refresh = async (): Promise<boolean> => {
    const sizeBefore = size;
    size = (await stat(join(run.traceDir, 'trace.jsonl'))).size;
    if (size === sizeBefore) return false;
    const before = run.stepCount;
    run = await openRun(run.traceDir);
    return run.stepCount > before;
  };
  const { header, record } = run;
  return {
    runId: header.run_id,
    traceDir: run.traceDir,
    task: header.task,
    prompt: record.prompt === '' ? header.prompt : record.prompt,
    agent: header.agent,
    seed: header.seed,
    runtime: header.runtime,
    startedAt: header.started_at,
    status: run.running ? 'running' : record.status,
    record: run.running ? null : record,
    ...(run.running ? { refresh } : {}),
    steps: () => run.steps(),
    async step(index) {
      return index >= 0 && index < run.stepCount ? await run.step(index) : undefined;
    },
  };
}
