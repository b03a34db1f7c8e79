import { type ErrorCode, toErrorCode } from '../environments/faults.ts';
import type { Failure } from './protocol.ts';

/** A request that is refused: travels over the control channel as its code and message. */
export class RequestFailure extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RequestFailure';
    this.code = code;
  }
}

/** Any error as it is sent: its own code where it has one of ours, else `internal_error`. */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { code: 'internal_error', message: String(error) };
  const code = toErrorCode('code' in error ? error.code : undefined);
  return { code, message: error.message, ...(error.stack === undefined ? {} : { stack: error.stack }) };
}
