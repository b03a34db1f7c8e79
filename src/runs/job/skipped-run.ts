import type { PlannedRun } from '../../traces/job-file.ts';
import type { Run } from '../../traces/trace.ts';

/** The result of a run that is not executed: with an error, its task cannot run; without one, it was cancelled before its turn. */
export function skippedRun(plannedRun: Omit<PlannedRun, 'index' | 'placement'>, error = plannedRun.error): Run {
  const { run_id, task_id, file, group_id, agent, seed } = plannedRun;
  return {
    ...{ run_id, task_id, file, group_id, agent, seed },
    status: error === null ? 'cancelled' : 'error',
    reward: null,
    success: false,
    truncated: false,
    error,
    steps: 0,
    duration_ms: 0,
    started_at: new Date().toISOString(),
    trace_dir: null,
  };
}
