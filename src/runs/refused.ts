import { newRunId } from './names.ts';
import type { Run, RunError } from './trace.ts';

/** What stands for a task that is not started: the finding's own code and words, and no trace. */
export function refusedRun(of: {
  readonly file: string;
  /** The task's id, or its index as a string. */
  readonly taskId: string;
  readonly index: number;
  readonly groupId: string;
  readonly seed: number;
  readonly error: RunError;
}): Run {
  return {
    run_id: newRunId({ id: of.taskId, index: of.index }),
    task_id: of.taskId,
    file: of.file,
    group_id: of.groupId,
    seed: of.seed,
    status: 'error',
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
