import { newRunId } from '../../traces/names.ts';
import type { Run, RunError } from '../../traces/trace.ts';

/**
 * A run that was never started and has no trace. With an error, its task cannot run (with the finding's code and message);
 * without one, the run was cancelled before its turn.
 */
export function untracedRun(of: {
  /** Its name in a job's plan. Default: a new name. */
  readonly runId?: string;
  readonly file: string;
  /** The task's id, or its index as a string. */
  readonly taskId: string;
  readonly index: number;
  readonly groupId: string;
  /** Null if the task has none. */
  readonly agent: string | null;
  readonly seed: number;
  readonly error: RunError | null;
}): Run {
  return {
    run_id: of.runId ?? newRunId({ id: of.taskId, index: of.index }),
    task_id: of.taskId,
    file: of.file,
    group_id: of.groupId,
    agent: of.agent,
    seed: of.seed,
    status: of.error === null ? 'cancelled' : 'error',
    reward: null,
    success: false,
    truncated: false,
    error: of.error,
    steps: 0,
    duration_ms: 0,
    started_at: new Date().toISOString(),
    trace_dir: null,
  };
}
