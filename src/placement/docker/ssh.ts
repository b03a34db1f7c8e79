import { spawn } from 'node:child_process';
import { Duplex, PassThrough } from 'node:stream';

/** Ends a connection whose other end has not answered for 45 s. */
const ALIVE = ['-o', 'ServerAliveInterval=15', '-o', 'ServerAliveCountMax=3'];

/**
 * Connects to a daemon through the user's `ssh`, like the Docker command line, so that their keys and settings apply. The
 * stream has the methods of a socket that Node's HTTP client expects.
 */
export function connectThroughSsh(url: URL): Duplex {
  const child = spawn('ssh', [...ALIVE, ...sshArguments(url)], {
    ...{ stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true },
  });
  // Not ended automatically: the exit code and the error output determine how the stream ends.
  const output = child.stdout.pipe(new PassThrough(), { end: false });
  const input = new PassThrough();
  input.pipe(child.stdin).on('error', () => {
    // ssh has ended; handled below.
  });
  const stream = Duplex.from({ readable: output, writable: input });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-2_000);
  });
  child.on('error', (error) => stream.destroy(new Error(`ssh could not be started: ${error.message}`)));
  child.on('close', (code) => {
    if (code === 0 || code === null) output.end();
    else stream.destroy(new Error(stderr.trim() || `ssh exited with code ${code}`));
  });
  stream.on('close', () => child.kill());
  return Object.assign(stream, {
    setKeepAlive: () => {},
    setNoDelay: () => {},
    setTimeout: () => {},
    ref: () => {},
    unref: () => {},
  });
}

/** The arguments of `ssh` for `ssh://user@host:port/path/of/socket`. */
export function sshArguments(url: URL): string[] {
  const user = decodeURIComponent(url.username);
  const socket = url.pathname.replace(/^\/$/, '');
  return [
    ...['-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=30'],
    ...(user === '' ? [] : ['-l', user]),
    ...(url.port === '' ? [] : ['-p', url.port]),
    '--',
    url.hostname.replace(/^\[|\]$/g, ''),
    'docker',
    ...(socket === '' ? [] : ['--host', `unix://${socket}`]),
    'system',
    'dial-stdio',
  ];
}
