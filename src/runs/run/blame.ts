import { faultOf } from '../../environments/faults.ts';
import { kindOfType } from '../../environments/kinds.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import type { Grade, RunError } from '../../traces/trace.ts';

/** Whether an error that ended a run is the agent's fault. `answers`: number of the agent's answers so far. */
export function isAgentFault({ code, call }: RunError, answers: number, env: EnvironmentSpec): boolean {
  if (answers === 0) return false;
  const side = faultOf(code)?.side;
  if (side !== 'agent between its answer and the next') return side === 'agent after its first answer';
  // In a call, the function may be the cause; in a remote environment, its answer is.
  return call === undefined && kindOfType(env)?.isRemote !== true;
}

/**
 * Whether another attempt can succeed: the browser, the environment, or the agent's process crashed or did not start.
 * Failures of functions and actions, time limits, and memory limits would occur again.
 */
export function canRetry(error: RunError | null): boolean {
  if (error === null) return false;
  // A session that ends during a call was most likely ended by a user-defined function.
  if (error.code === 'session_died' && error.call !== undefined) return false;
  return faultOf(error.code)?.retried === true;
}

/** The grade of a run that ended by the agent's fault: 0 with the reason. */
export function gradeOfAgentFault({ code, message }: RunError, partial: Grade): Grade {
  return { ...partial, reward: 0, info: { ...partial.info, blame: 'agent', code, warning: message } };
}
