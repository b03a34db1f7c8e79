import { type Duplex, PassThrough, type Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type Docker from 'dockerode';
import * as z from 'zod';
import { LogLines } from '../../base/log-lines.ts';
import { patient } from '../../base/patience.ts';
import { ServerError, type Usage } from '../placement.ts';
import { removeContainer } from './remove.ts';
import { usageMeter } from './usage.ts';

/** How long to wait for the daemon to report the exit code, in ms. */
const EXIT_REPORT_LIMIT = patient(5_000);

const exitSchema = z.object({ StatusCode: z.number() });

/** The exit code that the daemon reports, or `error` if it does not. */
export interface Exit {
  readonly code: number | null;
  readonly error: Error | null;
}

/** Options for starting containers. */
export interface StartOptions {
  readonly docker: Docker;
  /** Value of the owner label. */
  readonly owner: string;
  progress(text: string): void;
  log(text: string): void;
  readonly signal: AbortSignal;
}

/** The standard streams of a container. */
export interface Attachment {
  readonly stream: Duplex;
  readonly output: PassThrough;
  readonly errors: PassThrough;
}

/** A container that was created, but not started. */
export interface CreatedContainer {
  readonly docker: Docker;
  readonly container: Docker.Container;
  readonly attachment: Attachment;
  readonly end: End;
}

/** A container whose standard streams are attached. It is removed when it ends. */
export abstract class AttachedContainer {
  readonly logLines = new LogLines();
  /** For inspecting it and running programs in it. */
  readonly container: Docker.Container;
  /** What it uses since the last call; null if it has ended. */
  readonly usage: () => Promise<Usage | null>;
  /** Resolves when the container is removed, or the daemon does not answer. */
  readonly whenRemoved: Promise<void>;
  protected readonly attachment: Attachment;
  /** Resolves when the container has ended, or the daemon does not answer. */
  protected readonly exit: Promise<Exit>;
  readonly #docker: Docker;
  #disposing: Promise<void> | null = null;

  protected constructor({ docker, container, attachment, end }: CreatedContainer) {
    this.container = container;
    this.attachment = attachment;
    this.#docker = docker;
    this.usage = usageMeter(container);
    const streamEnd = new Promise((resolve) => attachment.stream.once('close', resolve));
    this.exit = streamEnd.then(() => Promise.race([end.exit, noAnswer(EXIT_REPORT_LIMIT)]));
    this.whenRemoved = this.exit.then(async () => {
      await Promise.race([end.removal, noAnswer(EXIT_REPORT_LIMIT)]);
    });
  }

  get id(): string {
    return this.container.id;
  }

  protected get isDisposed(): boolean {
    return this.#disposing !== null;
  }

  /** Removes the container. */
  dispose(): Promise<void> {
    this.#disposing ??= (async () => {
      await this.remove();
      // Docker does not close the streams of a container that was removed before it started.
      this.attachment.stream.destroy();
      await this.whenRemoved;
    })();
    return this.#disposing;
  }

  protected async remove(): Promise<void> {
    this.attachment.stream.end();
    await removeContainer(this.#docker, this.id).catch(() => {
      // If the daemon cannot be reached, the container ends when its standard input closes.
    });
  }
}

/**
 * Creates a container and attaches its standard streams. Rejects with `container_create_failed`, or the reason of the signal, and
 * removes the container in that case.
 */
export async function createContainer(
  docker: Docker,
  options: Docker.ContainerCreateOptions,
  signal?: AbortSignal,
): Promise<CreatedContainer> {
  signal?.throwIfAborted();
  // Not cancellable: the id of a half-created container would be lost.
  const container = await docker.createContainer(options).catch((error: DockerError) => {
    const message = `Docker could not create a container: ${dockerMessage(error)}`;
    throw new ServerError('container_create_failed', message, { cause: error });
  });
  try {
    signal?.throwIfAborted();
    const [attachment, end] = await Promise.all([attach(container), follow(docker, container.id)]);
    signal?.throwIfAborted();
    return { docker, container, attachment, end };
  } catch (error) {
    await removeContainer(docker, container.id);
    throw error;
  }
}

export async function attach(container: Docker.Container): Promise<Attachment> {
  const options = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true };
  const stream = (await container.attach(options)) as Duplex;
  const [output, errors] = [new PassThrough(), new PassThrough()];
  container.modem.demuxStream(stream, output, errors);
  // A broken stream is closed next; the end of the container is what counts.
  stream.on('error', () => {});
  stream.on('close', () => {
    output.end();
    errors.end();
  });
  return { stream, output, errors };
}

export interface DockerError extends Error {
  readonly statusCode?: number;
  readonly json?: { readonly message?: string };
}

/** The error message of the daemon, without the text that dockerode adds. */
export function dockerMessage(error: DockerError): string {
  return (error.json?.message ?? error.message).trim();
}

/** The end of a container as the daemon reports it: first its exit, then its removal. */
export interface End {
  readonly exit: Promise<Exit>;
  readonly removal: Promise<Exit>;
}

/**
 * Subscribes to the end of a container. Called before the container starts, because a container that has removed itself
 * is unknown to the daemon. Resolves when the subscription is active.
 */
export async function follow(docker: Docker, id: string): Promise<End> {
  // `removed` has no exit code if the container was removed by force.
  const [exitResponse, removalResponse] = await Promise.all([
    waitFor(docker, id, 'next-exit'),
    waitFor(docker, id, 'removed'),
  ]);
  return { exit: readExit(exitResponse), removal: readExit(removalResponse) };
}

function waitFor(docker: Docker, id: string, condition: 'next-exit' | 'removed'): Promise<Readable> {
  const request = {
    path: `/containers/${id}/wait?`,
    method: 'POST',
    options: { _query: { condition }, _body: {} },
    isStream: true,
    statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
  };
  return new Promise((resolve, reject) => {
    docker.modem.dial(request, (error: Error | null, body: unknown) =>
      error === null ? resolve(body as Readable) : reject(error),
    );
  });
}

async function readExit(answer: Readable): Promise<Exit> {
  try {
    return { code: exitSchema.parse(await json(answer)).StatusCode, error: null };
  } catch (error) {
    return { code: null, error: error as Error };
  }
}

export function noAnswer(ms: number): Promise<Exit> {
  return new Promise((resolve) => {
    setTimeout(() => resolve({ code: null, error: new Error('it does not respond') }), ms).unref();
  });
}
