import { CodedError } from '../base/coded-error.ts';
import { defined } from '../base/defined.ts';
import { type ErrorCode, toErrorCode } from '../environments/faults.ts';
import type { Failure } from './protocol.ts';

/** A failed request. Its code and message are sent over the control channel. */
export class RequestFailure extends CodedError<ErrorCode> {
  override readonly name = 'RequestFailure';
}

/** An error as it is sent: with its code if that is an `ErrorCode`, else `internal_error`. */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { code: 'internal_error', message: String(error) };
  const code = toErrorCode('code' in error ? error.code : undefined);
  return { code, message: error.message, ...defined({ stack: error.stack }) };
}
