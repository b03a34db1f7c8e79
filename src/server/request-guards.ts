import { MAX_TIMEOUT_MS } from '../base/time-limit.ts';
import { SCRIPT_ANSWER_MS } from '../environments/browser/pages/running-script.ts';
import type { ErrorCode } from '../environments/faults.ts';
import { findBuiltin } from '../functions/catalogue.ts';

/**
 * How much longer than the time limit of a call to wait before ending the process, in ms. A responsive process reports
 * the timeout itself, after it has asked the page.
 */
const CALL_GRACE = SCRIPT_ANSWER_MS + 1_000;
/** Number of consecutive pings, one a second, that may go unanswered. */
const MISSED_PINGS = 20;

/** What to do if a function of Taskwright takes too long. */
export const READS_TOO_MUCH =
  'What it reads may be too large, or the machine too busy: increase the time limit of calls, or make the page or file smaller.';

/** The time limit of a call, and its name in messages. */
export interface CallLimit {
  readonly ms: number;
  readonly name: string;
}

/** A session with a pending request. */
export interface GuardedSession {
  /** Whether a debugger may stop the process for any time. */
  isDebugged(): boolean;
  /** Resolves when the main thread of the process responds. */
  ping(): Promise<unknown>;
  end(code: ErrorCode, message: string): void;
}

/** Ends the session if it is still busy some time after the limit. Returns a function that stops watching. */
export function guardTime(session: GuardedSession, { ms, name }: CallLimit): () => void {
  const timer = setTimeout(
    () => {
      if (session.isDebugged()) return;
      const reason = `${name} did not return within ${ms / 1000} s and could not be interrupted, so its session was ended.`;
      const advice = findBuiltin(name) ? READS_TOO_MUCH : 'Check it for an endless loop.';
      session.end('call_timeout', `${reason} ${advice}`);
    },
    Math.min(ms + CALL_GRACE, MAX_TIMEOUT_MS),
  );
  return () => clearTimeout(timer);
}

/** Ends the session if its process does not respond to pings. Returns a function that stops watching. */
export function guardLife(session: GuardedSession, message: () => string): () => void {
  let missedPings = 0;
  const timer = setInterval(() => {
    if (session.isDebugged()) return;
    missedPings++;
    if (missedPings > MISSED_PINGS) {
      session.end('session_hung', message());
      return;
    }
    session.ping().then(
      () => {
        missedPings = 0;
      },
      () => {},
    );
  }, 1_000);
  return () => clearInterval(timer);
}
