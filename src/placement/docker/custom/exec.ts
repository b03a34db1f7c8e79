import { type Duplex, PassThrough } from 'node:stream';
import type Docker from 'dockerode';

/** How a program in a container is run. */
export interface ExecOptions {
  readonly env?: readonly string[];
  readonly input?: string;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Called with what it writes on its standard output; true: nothing more of it is waited for. */
  onOutput?(chunk: Buffer): boolean;
}

/** How a program in a container ended. */
export interface ExecEnd {
  /** Null where that was not waited for, or is not known. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program in a container, as `docker exec` does. Rejects where the daemon says no, or with the signal's reason. */
export async function exec(
  container: Docker.Container,
  command: readonly string[],
  { env = [], input, cwd, signal, onOutput }: ExecOptions = {},
): Promise<ExecEnd> {
  signal?.throwIfAborted();
  const made = await container.exec({
    Cmd: [...command],
    Env: [...env],
    ...(cwd === undefined ? {} : { WorkingDir: cwd }),
    AttachStdin: input !== undefined,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = (await made.start({ hijack: true, stdin: input !== undefined })) as Duplex;
  const [output, errors] = [new PassThrough(), new PassThrough()];
  made.modem.demuxStream(stream, output, errors);
  const [written, said]: [Buffer[], Buffer[]] = [[], []];
  const over = Promise.withResolvers<'ended' | 'enough'>();
  output.on('data', (chunk: Buffer) => {
    if (onOutput === undefined) written.push(chunk);
    else if (onOutput(chunk)) over.resolve('enough');
  });
  errors.on('data', (chunk: Buffer) => said.push(chunk));
  const abort = (): void => over.reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  stream.on('end', () => over.resolve('ended')).on('close', () => over.resolve('ended'));
  stream.on('error', () => over.resolve('ended'));
  // Not ended: some daemons take that for the end of both directions.
  if (input !== undefined) stream.write(input);
  try {
    const how = await over.promise;
    // Where the container has gone nobody knows how it ended; the container's own end says more.
    const { ExitCode } = how === 'ended' ? await made.inspect().catch(() => ({ ExitCode: null })) : { ExitCode: null };
    return {
      exitCode: ExitCode,
      output: Buffer.concat(written).toString('utf8'),
      errors: Buffer.concat(said).toString('utf8'),
    };
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    // A server that it has started may write on: were nobody there to read it, it would stop.
    output.removeAllListeners('data').resume();
    errors.removeAllListeners('data').resume();
  }
}
