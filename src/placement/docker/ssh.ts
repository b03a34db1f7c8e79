import { spawn } from 'node:child_process';
import { Agent } from 'node:http';
import { Duplex, PassThrough } from 'node:stream';

/**
 * Connections to a daemon through the person's own `ssh`, as Docker's command line makes them: their keys, hosts and
 * settings count.
 */
export class SshAgent extends Agent {
  readonly #args: readonly string[];

  constructor(url: URL) {
    super({ keepAlive: true });
    this.#args = sshArguments(url);
  }

  override createConnection(): Duplex {
    const child = spawn('ssh', this.#args, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    // Its end is told with the reason, which only the exit code and the last words say.
    const output = child.stdout.pipe(new PassThrough(), { end: false });
    const input = new PassThrough();
    input.pipe(child.stdin).on('error', () => {
      // It has ended and does not read: the same.
    });
    const stream = Duplex.from({ readable: output, writable: input });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-2_000);
    });
    child.on('error', (error) => stream.destroy(new Error(`ssh could not be started: ${error.message}`)));
    child.on('close', (code) => {
      if (code === 0 || code === null) output.end();
      else stream.destroy(new Error(said.trim() || `ssh ended with exit code ${code}`));
    });
    stream.on('close', () => child.kill());
    // A connection here is a socket to Node's http client, which asks it for things that a pipe has not.
    return Object.assign(stream, {
      setKeepAlive: () => {},
      setNoDelay: () => {},
      setTimeout: () => {},
      ref: () => {},
      unref: () => {},
    });
  }
}

/** `ssh://user@host:port/path/of/socket` as arguments of `ssh`. */
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
