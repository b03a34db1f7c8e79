import { type Duplex, PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import { defined } from '../../../base/defined.ts';

/** Options for running a program in a container. */
export interface ExecOptions {
  readonly env?: readonly string[];
  readonly input?: string;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Receives standard output; returns true to stop waiting for more. */
  onOutput?(chunk: Buffer): boolean;
}

/** The result of a program in a container. */
export interface ExecEnd {
  /** Null if it was not waited for, or is unknown. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs a program in a container, like `docker exec`. Rejects with the error of the daemon or the reason of the signal.
 */
export async function exec(
  container: Docker.Container,
  command: readonly string[],
  { env = [], input, cwd, signal, onOutput }: ExecOptions = {},
): Promise<ExecEnd> {
  signal?.throwIfAborted();
  const execution = await container.exec({
    Cmd: [...command],
    Env: [...env],
    ...defined({ WorkingDir: cwd }),
    AttachStdin: input !== undefined,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = (await execution.start({ hijack: true, stdin: input !== undefined })) as Duplex;
  const [output, errors] = [new PassThrough(), new PassThrough()];
  execution.modem.demuxStream(stream, output, errors);
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  const end = Promise.withResolvers<'ended' | 'enough'>();
  output.on('data', (chunk: Buffer) => {
    if (onOutput === undefined) stdout.push(chunk);
    else if (onOutput(chunk)) end.resolve('enough');
  });
  errors.on('data', (chunk: Buffer) => stderr.push(chunk));
  const abort = (): void => end.reject(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  stream.on('end', () => end.resolve('ended')).on('close', () => end.resolve('ended'));
  stream.on('error', () => end.resolve('ended'));
  // Not ended, because some daemons then close both directions.
  if (input !== undefined) stream.write(input);
  try {
    const endReason = await end.promise;
    // If the container has ended, the exit code is unknown; the end of the container is reported separately.
    const { ExitCode } =
      endReason === 'ended' ? await execution.inspect().catch(() => ({ ExitCode: null })) : { ExitCode: null };
    return {
      exitCode: ExitCode,
      output: Buffer.concat(stdout).toString('utf8'),
      errors: Buffer.concat(stderr).toString('utf8'),
    };
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    // A background process may still write: without a reader it would block.
    output.removeAllListeners('data').resume();
    errors.removeAllListeners('data').resume();
  }
}
