import { describeSystemError } from '../../base/system-error.ts';
import { withoutCredentials } from '../credentials.ts';
import { EnvironmentError } from '../environment.ts';

/** Codes of Node's errors of certificates (OpenSSL's names). */
const CERTIFICATE = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA)/;
/** The other side does not speak TLS, or only a version that is not accepted. */
const TLS = /^(?:ERR_SSL_|ERR_TLS_|EPROTO)/;

/** What to do about a server that cannot be connected to. */
export function connectionError(url: string, error: unknown): EnvironmentError {
  const address = withoutCredentials(url);
  const cause = causeOf(error);
  const code = String(cause.code ?? '');
  const options = { cause: error };
  if (CERTIFICATE.test(code)) {
    return new EnvironmentError(
      'start_failed',
      `The certificate of the OpenEnv server at ${address} is not trusted: ${cause.message} (${code}). Set NODE_EXTRA_CA_CERTS to a file with its certificate authority.`,
      options,
    );
  }
  if (TLS.test(code)) {
    return new EnvironmentError(
      'start_failed',
      `No secure connection to the OpenEnv server at ${address} is possible: ${cause.message}. If it serves without TLS, write http:// in "url".`,
      options,
    );
  }
  return new EnvironmentError(
    'environment_unreached',
    `The OpenEnv server at ${address} does not answer: ${describeSystemError(cause)}. Check that it is running and that "url" is its address.`,
    options,
  );
}

/** A server that answers with something else than a session. */
export function notOpenEnv(address: string, what: string): EnvironmentError {
  return new EnvironmentError(
    'start_failed',
    `${withoutCredentials(address)} ${what}. Check "url": it is the address at which the server of the environment has /health.`,
  );
}

export function redirected(address: string, location: string | null): EnvironmentError {
  const to = location === null ? '' : ` to ${location}`;
  return new EnvironmentError(
    'start_failed',
    `${withoutCredentials(address)} redirects${to}. Taskwright does not follow it: write the address of the server itself in "url".`,
  );
}

/** The innermost cause: `fetch` wraps what happened. */
function causeOf(error: unknown): NodeJS.ErrnoException {
  let at = error as NodeJS.ErrnoException;
  while (at.code === undefined && at.cause instanceof Error) at = at.cause;
  // Several addresses of one name were tried.
  if (at instanceof AggregateError && at.errors[0] instanceof Error) return at.errors[0];
  return at;
}
