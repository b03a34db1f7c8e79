import { AgentError } from '../agents/agent-error.ts';
import { describeSystemError, isSystemError } from '../base/system-error.ts';
import { isServerError } from '../placement/placement.ts';
import { JobError } from '../runs/job/job.ts';
import { UsageError } from '../runs/usage-error.ts';
import { TaskwrightError } from './error.ts';

/** Does something. Rejects with `TaskwrightError` for every error that the user can act on. */
export async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isKnown =
      error instanceof UsageError || error instanceof JobError || error instanceof AgentError || isServerError(error);
    if (isKnown) throw new TaskwrightError(error.code, error.message, { cause: error });
    if (isSystemError(error)) {
      throw new TaskwrightError('system_error', `${error.path ?? 'The system'}: ${describeSystemError(error)}.`, {
        cause: error,
      });
    }
    throw error;
  }
}
