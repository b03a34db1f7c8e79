/** A call of a person's function that gave no value for a reason of its own; the message goes on from the function's name. */
export class UserFailure extends Error {
  readonly code: 'call_threw' | 'call_out_of_range' | 'out_of_memory';
  constructor(code: UserFailure['code'], message: string) {
    super(message);
    this.name = 'UserFailure';
    this.code = code;
  }
}
