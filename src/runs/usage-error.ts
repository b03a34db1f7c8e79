/** Invalid arguments of a command line or of a call of the library. */
export class UsageError extends Error {
  /** A word for programs, such as `unknown_task`. */
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
    this.code = code;
  }
}
