/** What went wrong, in words for the person who runs your program. */
export class TaskwrightError extends Error {
  /** A word for programs: `unknown_task`, `no_agent`, `episode_over`, … */
  readonly code: string;
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'TaskwrightError';
    this.code = code;
  }
}
