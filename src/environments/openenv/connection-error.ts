import { describeSystemError, rootCause } from '../../base/system-error.ts';
import { withoutCredentials } from '../credentials.ts';
import { EnvironmentError, serverErrors } from '../environment.ts';

/** Codes of Node's errors of certificates (OpenSSL's names). */
const CERTIFICATE = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA)/;
/** The other side does not speak TLS, or only a version that is not accepted. */
const TLS = /^(?:ERR_SSL_|ERR_TLS_|EPROTO)/;

export const serverError = serverErrors('OpenEnv server');

/** Why there is no connection to a server, and what to do. */
export function connectionError(url: string, error: unknown): EnvironmentError {
  const address = withoutCredentials(url);
  const cause = rootCause(error);
  const code = String(cause.code ?? '');
  const options = { cause: error };
  if (CERTIFICATE.test(code)) {
    const message = `The certificate of the OpenEnv server at ${address} is not trusted: ${cause.message} (${code}). Set NODE_EXTRA_CA_CERTS to a file with its certificate authority.`;
    return new EnvironmentError('start_failed', message, options);
  }
  if (TLS.test(code)) {
    const message = `No secure connection to the OpenEnv server at ${address} is possible: ${cause.message}. If it serves without TLS, write http:// in "url".`;
    return new EnvironmentError('start_failed', message, options);
  }
  const what = `does not answer: ${describeSystemError(cause)}. Check that it is running and that "url" is its address.`;
  return serverError('environment_unreached', url, what, options);
}

/** The error for a server that is not an OpenEnv server. `what`: what it answers, as the end of a sentence. */
export function notOpenEnv(address: string, what: string): EnvironmentError {
  const message = `${withoutCredentials(address)} ${what}. Check "url": it is the address at which the server of the environment has /health.`;
  return new EnvironmentError('start_failed', message);
}

export function redirectError(address: string, location: string | null): EnvironmentError {
  const to = location === null ? '' : ` to ${location}`;
  const message = `${withoutCredentials(address)} redirects${to}. Taskwright does not follow it: write the address of the server itself in "url".`;
  return new EnvironmentError('start_failed', message);
}
