import { describeSystemError } from '../base/system-error.ts';
import type { ErrorCode } from '../environments/faults.ts';
import { findBuiltin } from '../functions/catalogue.ts';
import { containerMemory } from './container-memory.ts';
import { RequestFailure } from './failure.ts';
import type { Failure } from './protocol.ts';

/** Why a session has ended. */
export type SessionEnd = Pick<Failure, 'code' | 'message'>;

/** How a process ended; `error` if it could not be started. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: Error;
}

/**
 * The rejection of requests to a session that has already ended. The reason of the end belongs to the request that was in
 * progress, and says nothing about later ones.
 */
export function sessionEnded(): RequestFailure {
  return new RequestFailure('session_closed', 'The session has already ended. Open another one.');
}

/** Reasons that a lack of memory can have caused. */
const DEATHS = new Set(['session_died', 'page_crashed', 'visited_page_crashed', 'browser_crashed', 'desktop_crashed']);

/**
 * The reason `out_of_memory` if the kernel has killed a process of the container since the session began
 * (`killsBefore`); otherwise null.
 */
export function killedByKernel(code: ErrorCode, killsBefore: number): SessionEnd | null {
  if (!DEATHS.has(code)) return null;
  const memory = containerMemory();
  if (memory === null || memory.kills === killsBefore) return null;
  return {
    code: 'out_of_memory',
    message: `The processes in the container exceeded its memory limit of ${memory.limitMb} MB, so the system ended one of them. Increase the limit with metadata.docker.memory or the setting taskwright.docker.memory, or find out what accumulates data.`,
  };
}

/** What V8 prints if the heap is full. */
export const OUT_OF_MEMORY = /heap out of memory|Allocation failed/;

/** The state of a process when it ended. */
export interface ProcessState {
  /** The function of the call in progress. */
  readonly calling: string | null;
  /** Whether the process, or V8, has reported a lack of memory. */
  readonly outOfMemory: boolean;
  readonly memoryMb: number;
}

/** Why a process has ended by itself. */
export function exitReason(exit: ProcessExit, { calling, outOfMemory, memoryMb }: ProcessState): SessionEnd {
  if (outOfMemory) {
    const advice =
      calling !== null && findBuiltin(calling)
        ? 'What it reads may be too large: make the page or file smaller.'
        : 'Check whether it accumulates data in an endless loop.';
    return {
      code: 'out_of_memory',
      message: `${calling ?? 'The session'} needed more than ${memoryMb} MB of memory, so its session was ended. ${advice}`,
    };
  }
  const sessionDied = (message: string): SessionEnd => ({ code: 'session_died', message });
  if (exit.error !== undefined)
    return sessionDied(`The session's process could not be started: ${describeSystemError(exit.error)}.`);
  const during = calling === null ? '' : ` during ${calling}`;
  return exit.signal !== null
    ? sessionDied(`The session's process was ended by ${exit.signal}${during}. Run the task again.`)
    : sessionDied(
        `The session's process exited${during} with code ${exit.code}. Check whether one of your functions calls process.exit.`,
      );
}

/** The message for a session process that does not respond. `customTask`: its custom task, if any. */
export function hangMessage(method: string, customTask: string | null): string {
  const reason = 'The session did not respond for 20 s and was ended.';
  if (customTask === null)
    return `${reason} Check whether one of your functions leaves an endless loop running after it returns.`;
  const methods = method === 'session.reset' ? 'its constructor, html() or goal()' : 'extract(), reward() or done()';
  return `${reason} Check the custom task “${customTask}” for an endless loop in ${methods}.`;
}
