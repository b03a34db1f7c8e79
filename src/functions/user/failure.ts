/**
 * A call of a user-defined function that failed for a specific reason. The message continues after the function's name.
 */
export class UserFailure extends Error {
  readonly code: 'call_threw' | 'call_out_of_range' | 'out_of_memory';
  constructor(code: UserFailure['code'], message: string) {
    super(message);
    this.name = 'UserFailure';
    this.code = code;
  }
}
