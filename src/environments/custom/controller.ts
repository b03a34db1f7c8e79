import type { CallResult } from '../../functions/declaration.ts';
import type { Invocation, InvocationResult } from './invocation.ts';

/** A task's controller: processes on this machine, or a container. */
export interface Controller {
  /**
   * Calls one function in a new process, as HUD 0.2 does, so that persistent state must be in files or in servers that
   * the controller starts. The process is killed when the signal is aborted. Rejects with `ControllerError` if there is
   * no answer.
   */
  invoke(invocation: Invocation, signal: AbortSignal): Promise<InvocationResult>;
  /** Maps a path of the controller's process to the user's path. */
  ownPath(path: string): string;
  /** Ends the controller and removes its resources. */
  close(): Promise<void>;
}

/** The process of a call could not be started, or ended without an answer. */
export class ControllerError extends Error {
  /** The end of its output. */
  readonly trace: string;
  constructor(message: string, trace = '') {
    super(message);
    this.name = 'ControllerError';
    this.trace = trace;
  }
}

/** The message for a failed call: Python's error, and its location in the controller's files. */
export function failedCall(
  name: string,
  result: Extract<InvocationResult, { message: string }>,
  controller: Controller,
): Extract<CallResult, { readonly error: unknown }> {
  const { message, place, trace: stack, missing } = result;
  if (missing) {
    const text = `the controller has no function \`${name}\`: ${message}`;
    return { error: { code: 'unknown_function', message: text, stack } };
  }
  const where = place === null ? '' : ` (${controller.ownPath(place.file)}:${place.line})`;
  return { error: { code: 'call_threw', message: `\`${name}\` failed${where}: ${message}`, stack } };
}
