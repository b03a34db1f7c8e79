import type { Task } from '../../tasks/task.ts';
import type { ManualInput } from '../agents/manual/manual-input.ts';
import type { RunRecord } from '../store/trace.ts';
import type { RunDebugger } from './debugging.ts';
import type { RunFailure } from './failure.ts';
import type { LiveSwitch } from './live-switch.ts';

/** Everything that says how one run goes. */
export interface RunPlan {
  readonly task: Task;
  /** The agent as the user wrote it, such as `replay:login.actions`; see `parseAgent`. */
  readonly agent: string;
  readonly seed: number;
  readonly jobId: string;
  /** Shared by the repeats of one task in a job. */
  readonly groupId: string;
  /** Name of the run's folder; a new one where it is absent. */
  readonly runId?: string;
  /** The folder of jobs: the run is written to `<out>/<job_id>/<run_id>/`. */
  readonly out: string;
  /** Wins over the task's own limit. */
  readonly maxSteps?: number;
  /** Milliseconds that one setup or evaluate call may take; 30 s where absent. */
  readonly evaluateTimeoutMs?: number;
  /** Milliseconds that the whole run may take; no limit where absent. */
  readonly timeoutMs?: number;
  /** Why earlier attempts at this run were given up; see `RunRecord`. */
  readonly retried?: RunRecord['retried'];
  /** Masks what is typed into password fields; the values of the task's `sensitive_data` are masked in any case. */
  readonly mask?: boolean;
  /** What an agent's relative path starts from. */
  readonly cwd: string;
  /** Input of the user for the agent `manual`. */
  readonly manualInput?: ManualInput;
  /** Turned on while somebody watches the live picture; without it no frame is asked for. */
  readonly live?: LiveSwitch;
  /** The path of agent.js where it is not beside the running program. */
  readonly agentProgram?: string;
  /** Absolute paths of all task files of the job: none of them reaches the agent. */
  readonly taskFiles?: readonly string[];
  /** What holds the run up between its calls and actions. */
  readonly debugger?: RunDebugger;
}

/** What ends a run before its time. `soon` stops the agent; `now` stops everything that is being waited for. */
export interface Endings {
  readonly soon: AbortSignal;
  readonly now: AbortSignal;
  /** Ends a step that is under way: `now`, or some time after the time limit. */
  readonly step: AbortSignal;
  fail(failure: RunFailure): void;
  /** From here on the run's time limit counts. */
  startClock(): void;
  /** The time limit does not count until the function that is returned is called. */
  stopClock(): () => void;
}
