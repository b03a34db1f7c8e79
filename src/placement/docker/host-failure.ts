import { type DockerHost, HostError, type SystemInfo } from './host.ts';
import { sshArguments } from './ssh.ts';

/** A daemon has not answered in time. */
export class NoAnswer extends Error {
  /** @param limit in ms */
  constructor(limit: number, options?: ErrorOptions) {
    super(`it did not answer within ${limit / 1000} s`, options);
  }
}

/** How connecting with TLS can fail. */
type TlsFailure = 'authority' | 'name' | 'expired' | 'client' | 'plain' | 'needed' | 'broken';

const TLS_REASONS: Readonly<Record<TlsFailure, string>> = {
  authority: 'its certificate is not of an authority that is trusted here',
  name: 'its certificate is for other names than this address',
  expired: 'its certificate has expired',
  client: 'it does not accept this client without a certificate of its authority',
  plain: 'it does not use TLS',
  needed: 'it requires TLS',
  broken: 'the certificates are damaged',
};

const AUTHORITY_CODES = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);

function tlsFailure({ code = '', message = '' }: NodeJS.ErrnoException): TlsFailure | null {
  if (AUTHORITY_CODES.has(code)) return 'authority';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'name';
  if (code === 'CERT_HAS_EXPIRED') return 'expired';
  if (/^ERR_SSL_.*ALERT/.test(code)) return 'client';
  // Of an answer that is not TLS.
  if (code === 'EPROTO' || /^ERR_SSL_/.test(code)) return 'plain';
  if (/^ERR_OSSL_/.test(code)) return 'broken';
  return /HTTP request to an HTTPS server/.test(message) ? 'needed' : null;
}

/** Why a daemon cannot be reached, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const failure = tlsFailure(error as NodeJS.ErrnoException);
  if (failure !== null) return TLS_REASONS[failure];
  if (code === 'ENOENT') return 'nothing was found there';
  if (code === 'ECONNREFUSED') return 'the connection was refused; the daemon is not running';
  if (code === 'EACCES' || code === 'EPERM') {
    return 'access was denied; add yourself to the group “docker” (sudo usermod -aG docker $USER) and log in again';
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name is unknown';
  return (message || code || String(error)).trim().replace(/\.$/, '');
}

/** What the user can do about it, as a sentence without its full stop. Null `host`: it could not be determined. */
export function adviceFor(host: DockerHost | null, error: unknown, { platform }: SystemInfo): string {
  if (error instanceof HostError) return error.advice;
  const failure = tlsFailure(error as NodeJS.ErrnoException);
  if (failure !== null) return tlsAdvice(failure, host);
  const url = host !== null && URL.canParse(host.address) ? new URL(host.address) : null;
  if (url?.protocol === 'ssh:') {
    const command = sshArguments(url).filter((part) => part !== '-T' && part !== '--');
    return `Check that this command works without a prompt: “ssh ${command.slice(0, -2).join(' ')} version”`;
  }
  if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return 'Check the name of the machine';
  if (url !== null && /^(tcp|https?):$/.test(url.protocol)) {
    const port = url.port || (host?.tls === null ? '2375' : '2376');
    return `Check that the machine is on, that its Docker daemon listens on port ${port} (https://docs.docker.com/engine/security/protect-access), and that no firewall blocks it`;
  }
  return platform === 'linux'
    ? 'Install Docker (Debian and Ubuntu: apt-get install docker.io; others: https://docs.docker.com/engine/install) and start it, or set its address with DOCKER_HOST or a Docker context'
    : 'Install Docker Desktop (https://docs.docker.com/get-started/get-docker) and start it, or set its address with DOCKER_HOST or a Docker context';
}

function tlsAdvice(failure: TlsFailure, host: DockerHost | null): string {
  const folder = host?.tls?.folder;
  const certificates =
    folder === undefined
      ? 'Set DOCKER_TLS_VERIFY=1, and DOCKER_CERT_PATH to a folder with ca.pem, cert.pem, and key.pem, or create a context with them (docker context create)'
      : `Put ca.pem, cert.pem, and key.pem of the authority that signed the certificate of the daemon into ${folder}`;
  if (failure === 'name') return 'Use a name that the certificate is for, or make a certificate for this one';
  if (failure === 'expired') return 'Make a new certificate for the daemon';
  if (failure === 'plain') return 'Use the port on which the daemon uses TLS, or unset DOCKER_TLS_VERIFY';
  return certificates;
}
