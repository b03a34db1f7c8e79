import { basename } from 'node:path';
import { EnvironmentError } from '../../environments/environment.ts';
import type { ErrorCode } from '../../environments/faults.ts';
import { isServerError } from '../../placement/placement.ts';
import { printCall } from '../../tasks/print.ts';
import type { Call, Task } from '../../tasks/task.ts';
import { AgentError } from '../agents/agent-error.ts';
import type { RunError } from '../store/trace.ts';

/** What ends a run here, whose codes are ours; one that was recorded may have been another program's. */
export type NewRunError = RunError & { readonly code: ErrorCode };

/** Why a run ends with status `error`: carries what `run.json` says about it. */
export class RunFailure extends Error {
  readonly error: NewRunError;
  constructor(error: NewRunError, options?: ErrorOptions) {
    super(error.message, options);
    this.name = 'RunFailure';
    this.error = error;
  }
}

/** The reason of an aborted signal where the run reached its time limit: what was done until then is graded. */
export class TimeLimit extends RunFailure {
  constructor(seconds: number) {
    super({ message: `The run took longer than its time limit of ${seconds} s.`, code: 'run_timeout' });
    this.name = 'TimeLimit';
  }
}

/** The reason of an aborted signal where the person cancelled the run. */
export class Cancelled extends Error {
  constructor() {
    super('The run was cancelled.');
    this.name = 'Cancelled';
  }
}

/** What went wrong with one call, with its place in the task file. */
export function callFailure(task: Task, call: Call, failure: { message: string; code: ErrorCode }): NewRunError {
  const text = printCall(call);
  const { line, character } = call.range.start;
  const place = `${basename(task.file)}:${line + 1}:${character + 1}`;
  return {
    message: `${text} (${place}): ${failure.message}`,
    code: failure.code,
    file: task.file,
    range: call.range,
    call,
  };
}

/** The code of what nobody expected: a fault of Taskwright's own. */
export const INTERNAL: ErrorCode = 'internal_error';

/** Brings whatever was thrown to what `run.json` says. */
export function toRunError(thrown: unknown): NewRunError {
  if (thrown instanceof RunFailure) return thrown.error;
  if (isServerError(thrown) || thrown instanceof EnvironmentError || thrown instanceof AgentError) {
    return { message: thrown.message, code: thrown.code };
  }
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { message: error.message, code: INTERNAL };
}
