import { CodedError } from '../base/coded-error.ts';

/** Invalid arguments of a command line or of a call of the library. */
export class UsageError extends CodedError {
  override readonly name = 'UsageError';
}
