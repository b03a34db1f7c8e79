import { type Duplex, PassThrough, type Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type Docker from 'dockerode';
import * as z from 'zod';
import { LogLines } from '../../base/log-lines.ts';
import { patient } from '../../base/patience.ts';
import type { ErrorCode } from '../../environments/faults.ts';
import { readLines } from '../../server/log.ts';
import type { Method, Params, Results, ServerEvent } from '../../server/protocol.ts';
import type { Task } from '../../tasks/task.ts';
import { Control, TAMPERING } from '../control.ts';
import { type EnvironmentServer, type RunningEnvironment, ServerError, type Usage } from '../placement.ts';
import { bridgeTo } from './bridge.ts';
import { agentIdOf, type ContainerSecurity, type ContainerSpec, createOptions } from './create-options.ts';
import { removeContainer } from './remove.ts';
import { UsageMeter } from './usage.ts';

/** Time limit for the server to answer, in ms. */
const READY_LIMIT = patient(30_000);
/** How long to wait for the daemon to report the exit code, in ms. */
const EXIT_REPORT_LIMIT = patient(5_000);
/** How long a container may take to end by itself, in ms. */
const END_GRACE = 2_000;
/** Exit code of a killed process: 128 + SIGKILL. */
const KILLED = 137;

const exitSchema = z.object({ StatusCode: z.number() });

/** The exit code that the daemon reports, or `error` if it does not. */
export interface Exit {
  readonly code: number | null;
  readonly error: Error | null;
}

/** An environment server in its own container. The control channel is the attached streams. */
export class Container implements EnvironmentServer, RunningEnvironment {
  readonly placement = 'docker';
  readonly started = new Date();
  readonly spec: ContainerSpec;
  readonly shellUser: string | null;
  readonly logLines = new LogLines();
  readonly ended: Promise<{ readonly code: ErrorCode; readonly message: string }>;
  /** Resolves when the container is removed, or the daemon does not answer. */
  readonly whenRemoved: Promise<void>;
  host: string | undefined;
  /** The task that uses it; null while it is waiting for a run. */
  task: Task | null = null;
  /** User and group of the server. */
  readonly #user: string;
  readonly #docker: Docker;
  readonly #container: Docker.Container;
  readonly #stream: Duplex;
  readonly #control: Control;
  readonly #end: End;
  readonly #meter: UsageMeter;
  #ready = false;
  #disposing: Promise<void> | null = null;

  /**
   * Creates and starts a container and waits for its server to answer. Rejects with `container_create_failed`,
   * `container_start_failed`, or the reason of the signal, and removes the container in that case.
   */
  static async start(
    docker: Docker,
    spec: ContainerSpec,
    sealing: ContainerSecurity,
    log: (text: string) => void,
    signal?: AbortSignal,
  ): Promise<Container> {
    signal?.throwIfAborted();
    // Not cancellable: the id of a half-created container would be lost.
    const created = await docker.createContainer(createOptions(spec, sealing)).catch((error: DockerError) => {
      throw new ServerError('container_create_failed', `Docker could not create a container: ${dockerMessage(error)}`, {
        cause: error,
      });
    });
    let container: Container | null = null;
    try {
      signal?.throwIfAborted();
      const attached = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true };
      const [stream, end] = await Promise.all([created.attach(attached), follow(docker, created.id)]);
      container = new Container(docker, spec, sealing, created, stream as Duplex, end, log);
      signal?.throwIfAborted();
      await created.start().catch((error: DockerError) => {
        throw new ServerError('container_start_failed', `Docker could not start a container: ${dockerMessage(error)}`, {
          cause: error,
        });
      });
      await container.#handshake(signal);
      return container;
    } catch (error) {
      await (container === null ? removeContainer(docker, created.id) : container.dispose());
      throw error;
    }
  }

  private constructor(
    docker: Docker,
    spec: ContainerSpec,
    { user }: ContainerSecurity,
    container: Docker.Container,
    stream: Duplex,
    end: End,
    log: (text: string) => void,
  ) {
    this.spec = spec;
    this.#user = `${user.uid}:${user.gid}`;
    const agent = agentIdOf(spec.kind, user);
    this.shellUser = agent === null ? null : `${agent}:${agent}`;
    this.#docker = docker;
    this.#container = container;
    this.#stream = stream;
    this.#end = end;
    this.#meter = new UsageMeter(container);
    const [output, errors] = [new PassThrough(), new PassThrough()];
    docker.modem.demuxStream(stream, output, errors);
    // A broken stream is closed next; the end of the container is what counts.
    stream.on('error', () => {});
    stream.on('close', () => {
      output.end();
      errors.end();
    });
    const stderrRead = readLines(errors, (text) => {
      this.logLines.add(text);
      log(text);
    });
    this.#control = new Control({
      input: output,
      output: stream,
      log,
      // The container is useless without the channel. It should end by itself, but is removed if it does not.
      onClose: () => {
        this.#stream.end();
        void Promise.race([this.#end.exited, noAnswer(END_GRACE)]).then(() => this.#remove());
      },
    });
    this.ended = this.#follow(stderrRead);
    this.whenRemoved = this.ended.then(async () => {
      await Promise.race([end.removed, noAnswer(EXIT_REPORT_LIMIT)]);
    });
  }

  get id(): string {
    return this.#container.id;
  }

  get tasks(): readonly Task[] {
    return this.task === null ? [] : [this.task];
  }

  usage(): Promise<Usage | null> {
    return this.#meter.read();
  }

  request<M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Results[M]> {
    return this.#control.request(method, params, signal);
  }

  async reach(port: number): Promise<number> {
    const bridge = await bridgeTo(this.#container, this.#user, port);
    void this.ended.then(() => bridge.close());
    return bridge.port;
  }

  onEvent(listener: (event: ServerEvent) => void): () => void {
    return this.#control.onEvent(listener);
  }

  /** Removes the container. */
  dispose(): Promise<void> {
    this.#disposing ??= (async () => {
      await this.#remove();
      // Docker does not close the streams of a container that was removed before it started.
      this.#stream.destroy();
      await this.whenRemoved;
    })();
    return this.#disposing;
  }

  async #remove(): Promise<void> {
    this.#stream.end();
    await removeContainer(this.#docker, this.id).catch(() => {
      // If the daemon cannot be reached, the container ends when its standard input closes.
    });
  }

  async #handshake(signal?: AbortSignal): Promise<void> {
    const late = AbortSignal.timeout(READY_LIMIT);
    try {
      await this.#control.handshake(signal === undefined ? late : AbortSignal.any([late, signal]));
      this.#ready = true;
    } catch (error) {
      signal?.throwIfAborted();
      if (!late.aborted) throw error;
      throw new ServerError(
        'container_start_failed',
        `The container started, but its server did not respond within ${READY_LIMIT / 1000} s.${this.logLines.lastOutput()}`,
        { cause: error },
      );
    }
  }

  /** Waits for the container to end, and determines why. */
  async #follow(stderrRead: Promise<void>): Promise<{ code: ErrorCode; message: string }> {
    await new Promise((resolve) => this.#stream.once('close', resolve));
    const exit = await Promise.race([this.#end.exited, noAnswer(EXIT_REPORT_LIMIT)]);
    await stderrRead;
    const end = this.#endOf(exit);
    this.#control.end(new ServerError(end.code, end.message));
    return end;
  }

  #endOf({ code, error }: Exit): { code: ErrorCode; message: string } {
    if (this.#disposing !== null) return { code: 'server_ended', message: 'The environment server was ended.' };
    if (this.#control.isTampered) return TAMPERING;
    if (error !== null) {
      return {
        code: 'docker_gone',
        message: `The connection to Docker was lost, and the container ended: ${error.message}. Check that Docker is running, then run the task again.`,
      };
    }
    const killed =
      code === KILLED
        ? `was killed. Either it exceeded its memory limit of ${this.spec.limits.memory} MB (metadata.docker.memory or the setting taskwright.docker.memory), or it was removed`
        : `ended (exit code ${code})`;
    const suffix = this.#ready ? '' : ' before it was ready';
    return {
      code: this.#ready ? 'container_died' : 'container_start_failed',
      message: `The container ${killed}${suffix}. Run the task again to start a new one.${this.logLines.lastOutput()}`,
    };
  }
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
  readonly exited: Promise<Exit>;
  readonly removed: Promise<Exit>;
}

/**
 * Subscribes to the end of a container. Called before the container starts, because a container that has removed itself
 * is unknown to the daemon. Resolves when the subscription is active.
 */
export async function follow(docker: Docker, id: string): Promise<End> {
  // `removed` has no exit code if the container was removed by force.
  const [exited, removed] = await Promise.all([waitFor(docker, id, 'next-exit'), waitFor(docker, id, 'removed')]);
  return { exited: readExit(exited), removed: readExit(removed) };
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
