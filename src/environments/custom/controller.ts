import type { CallResult } from '../../functions/declaration.ts';
import type { Invocation, InvocationResult } from './invocation.ts';

/** Where a task's controller runs: as processes of this machine, or in a container. */
export interface Controller {
  /**
   * Calls one function in a process of its own, as HUD 0.2 does: what is to last stands in files, or in servers that the
   * controller starts. When the signal is aborted the process is killed. Rejects with `ControllerError` where there was
   * no answer.
   */
  invoke(invocation: Invocation, signal: AbortSignal): Promise<InvocationResult>;
  /** A path of the controller's process, as the user knows it. */
  ownPath(path: string): string;
  /** Ends what was made for it. */
  close(): Promise<void>;
}

/** A call's process gave no answer: it could not be started, or ended before. */
export class ControllerError extends Error {
  /** What it said last. */
  readonly trace: string;
  constructor(message: string, trace = '') {
    super(message);
    this.name = 'ControllerError';
    this.trace = trace;
  }
}

/** A call that failed, in words: what Python said, and where in the controller's files. */
export function failedCall(
  name: string,
  result: Extract<InvocationResult, { message: string }>,
  controller: Controller,
): CallResult {
  const { message, place, trace, missing } = result;
  const where = place === null ? '' : ` (${controller.ownPath(place.file)}:${place.line})`;
  const text = missing
    ? `the controller has no function \`${name}\`: ${message}`
    : `\`${name}\` failed${where}: ${message}`;
  return { error: { code: missing ? 'unknown_function' : 'call_threw', message: text, stack: trace } };
}
