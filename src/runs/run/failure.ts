import { basename } from 'node:path';
import { AgentError } from '../../agents/agent-error.ts';
import { EnvironmentError } from '../../environments/environment.ts';
import type { ErrorCode } from '../../environments/faults.ts';
import { isServerError } from '../../placement/placement.ts';
import { printCall } from '../../tasks/print.ts';
import type { Call, Task } from '../../tasks/task.ts';
import type { RunError } from '../../traces/trace.ts';

/** An error of this version of Taskwright. Recorded runs may have codes of other programs. */
export type NewRunError = RunError & { readonly code: ErrorCode };

/** Ends a run with status `error`; carries the error for `run.json`. */
export class RunFailure extends Error {
  readonly error: NewRunError;
  constructor(error: NewRunError, options?: ErrorOptions) {
    super(error.message, options);
    this.name = 'RunFailure';
    this.error = error;
  }
}

/** Abort reason when the run reaches its time limit. The run is then graded. */
export class TimeLimit extends RunFailure {
  constructor(seconds: number) {
    super({ message: `The run exceeded its time limit of ${seconds} s.`, code: 'run_timeout' });
    this.name = 'TimeLimit';
  }
}

/** Abort reason when the user cancels the run. */
export class Cancelled extends Error {
  constructor() {
    super('The run was cancelled.');
    this.name = 'Cancelled';
  }
}

/** The error of one call, with its location in the task file. */
export function callFailure(task: Task, call: Call, failure: { message: string; code: ErrorCode }): NewRunError {
  const text = printCall(call);
  const { line, character } = call.range.start;
  const location = `${basename(task.file)}:${line + 1}:${character + 1}`;
  return {
    message: `${text} (${location}): ${failure.message}`,
    code: failure.code,
    file: task.file,
    range: call.range,
    call,
  };
}

/** The code of unexpected errors, which are bugs of Taskwright. */
export const INTERNAL: ErrorCode = 'internal_error';

/** Converts anything thrown to the error for `run.json`. */
export function toRunError(reason: unknown): NewRunError {
  if (reason instanceof RunFailure) return reason.error;
  if (isServerError(reason) || reason instanceof EnvironmentError || reason instanceof AgentError) {
    return { message: reason.message, code: reason.code };
  }
  const error = reason instanceof Error ? reason : new Error(String(reason));
  return { message: error.message, code: INTERNAL };
}
