import type { Agent } from '../../agents/agent.ts';
import type { ManualInput } from '../../agents/manual-input.ts';
import type { Task } from '../../tasks/task.ts';
import type { RunLimits } from '../../traces/limits.ts';
import type { RunRecord } from '../../traces/trace.ts';
import type { RunDebugger } from './debugging.ts';
import type { LiveSwitch } from './live-switch.ts';

/** The parameters of one run. */
export interface RunPlan {
  readonly task: Task;
  /** The agent as the user wrote it, such as `replay:login.actions`; see `parseAgent`. */
  readonly agent: string;
  readonly seed: number;
  readonly jobId: string;
  /** Shared by the repeats of a task in a job. */
  readonly groupId: string;
  /** Name of the run's folder. Default: a new name. */
  readonly runId?: string;
  /** The folder of jobs: the run is written to `<out>/<job_id>/<run_id>/`. */
  readonly out: string;
  /** They override those of the task. */
  readonly limits?: RunLimits;
  /** Errors of earlier attempts; see `RunRecord`. */
  readonly retried?: RunRecord['retried'];
  /** Masks text typed into password fields. Values of the task's `sensitive_data` are always masked. */
  readonly mask?: boolean;
  /** Base of relative paths in `agent`. */
  readonly cwd: string;
  /** The agent itself where `agent` names no kind: the client of a served task (`served`), or a program (`program`). */
  readonly client?: Agent;
  /** Input of the user for the agent `manual`. */
  readonly manualInput?: ManualInput;
  /** On while a live view is visible. Without it, no frames are requested. */
  readonly live?: LiveSwitch;
  /** The names of environment variables that the agent gets; none if absent. */
  readonly agentVariables?: readonly string[];
  /** Path of agent.js if it is not next to the running program. */
  readonly agentProgram?: string;
  /** Absolute paths of all task files of the job. They are withheld from the agent. */
  readonly taskFiles?: readonly string[];
  /** Pauses the run between its calls and actions. */
  readonly debugger?: RunDebugger;
}
