import type { Failure } from './protocol.ts';

/** A request that is refused: travels over the control channel as its code and message. */
export class RequestFailure extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RequestFailure';
    this.code = code;
  }
}

/** Any error as it is sent: its own code where it has a stable one, else `internal`. */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { code: 'internal', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'internal';
  return { code, message: error.message, ...(error.stack === undefined ? {} : { stack: error.stack }) };
}
