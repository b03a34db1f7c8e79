import { CodedError } from '../base/coded-error.ts';

/** Invalid arguments of a command line or of a call of the library. */
export class UsageError extends CodedError {
  override readonly name = 'UsageError';
}

type ErrorClass = abstract new (...args: never[]) => Error & { readonly code: string };

/** The error as a `UsageError` if it is of one of these classes, otherwise itself. */
export function asUsageError(error: unknown, ...classes: readonly ErrorClass[]): unknown {
  for (const one of classes) {
    if (error instanceof one) return new UsageError(error.code, error.message, { cause: error });
  }
  return error;
}
