import { CodedError } from '../../base/coded-error.ts';

/**
 * A call of a user-defined function that failed for a specific reason. The message continues after the function's name.
 */
export class UserFailure extends CodedError<'call_threw' | 'call_out_of_range' | 'out_of_memory'> {
  override readonly name = 'UserFailure';
}
