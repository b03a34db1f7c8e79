import { faultOf } from '../../environments/faults.ts';
import type { Grade, RunError } from '../store/trace.ts';

/** Whether an error that ended a run counts against its agent. `answers`: how many the agent has given. */
export function isAgentsFault({ code, call }: RunError, answers: number): boolean {
  if (answers === 0) return false;
  const side = faultOf(code)?.side;
  // In a call it may be the function that needs it.
  return (
    side === 'agent after its first answer' || (side === 'agent between its answer and the next' && call === undefined)
  );
}

/**
 * Whether another attempt may end otherwise: the browser, the environment or the agent's process died or did not start.
 * Never where a function or an action failed, a time limit was reached or memory ran out: that would happen again.
 */
export function canRetry(error: RunError | null): boolean {
  if (error === null) return false;
  // A session that dies in the middle of a call was mostly ended by the person's own function.
  if (error.code === 'session_died' && error.call !== undefined) return false;
  return faultOf(error.code)?.retried === true;
}

/** The grade of a run that its agent's fault has ended: 0, and why. */
export function gradeOfFault({ code, message }: RunError, partial: Grade): Grade {
  return { ...partial, reward: 0, info: { ...partial.info, blame: 'agent', code, warning: message } };
}
