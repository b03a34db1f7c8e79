import type { Grade, RunError } from './trace.ts';

/** Whose fault an error is: the agent's counts as reward 0, any other in no mean. */
interface Fault {
  readonly side: 'agent after its first answer' | 'agent between its answer and the next' | 'error';
  /** Another attempt may end otherwise. */
  readonly retried: boolean;
}

const AGENT: Fault = { side: 'agent after its first answer', retried: false };
const BROKEN: Fault = { side: 'error', retried: true };
const ERROR: Fault = { side: 'error', retried: false };

/** Errors that end a run, by their codes. A code that is not listed is an error that is not retried. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  agent_answer: AGENT,
  agent_broken: ERROR,
  agent_died: { ...AGENT, retried: true },
  agent_missing: ERROR,
  agent_threw: AGENT,
  agent_unknown: ERROR,
  browser_crashed: BROKEN,
  browser_failed: BROKEN,
  browser_missing: ERROR,
  call_out_of_range: ERROR,
  call_returned_nothing: ERROR,
  call_threw: ERROR,
  call_timeout: ERROR,
  container_died: BROKEN,
  desktop_crashed: BROKEN,
  no_prompt: ERROR,
  not_recorded: ERROR,
  out_of_memory: { side: 'agent between its answer and the next', retried: false },
  page_crashed: BROKEN,
  run_timeout: ERROR,
  server_died: BROKEN,
  server_start_failed: BROKEN,
  session_died: BROKEN,
  session_hung: ERROR,
  start_failed: ERROR,
  tampering: AGENT,
  unsupported_environment: ERROR,
  visited_page_crashed: AGENT,
};

/** Whether an error that ended a run counts against its agent. `answers`: how many the agent has given. */
export function isAgentsFault({ code, call }: RunError, answers: number): boolean {
  if (answers === 0) return false;
  const side = FAULTS[code]?.side;
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
  return FAULTS[error.code]?.retried === true;
}

/** The grade of a run that its agent's fault has ended: 0, and why. */
export function gradeOfFault({ code, message }: RunError, partial: Grade): Grade {
  return { ...partial, reward: 0, info: { ...partial.info, blame: 'agent', code, warning: message } };
}
