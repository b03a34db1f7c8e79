import type Docker from 'dockerode';
import { lastLines } from '../../../base/log-lines.ts';
import { type Controller, ControllerError } from '../../../environments/custom/controller.ts';
import {
  Conversation,
  type Invocation,
  type InvocationResult,
  SCRIPT,
} from '../../../environments/custom/invocation.ts';
import { endOf } from '../../../environments/custom/python.ts';
import { readLines } from '../../../server/log.ts';
import { type ReportedError, ServerError } from '../../placement.ts';
import {
  AttachedContainer,
  type CreatedContainer,
  createContainer,
  type DockerError,
  dockerMessage,
  noAnswer,
} from '../attached-container.ts';
import { exec } from './exec.ts';
import { SOURCE, type Source } from './source.ts';

/** How long to wait after a failed call for the container to be reported as ended, in ms. */
const EXIT_REPORT_DELAY = 500;
/** Time limit for a HEALTHCHECK to succeed, in ms. */
const HEALTH_LIMIT = 60_000;
const HEALTH_PAUSE = 250;
/** Environment variables of every program that runs in the container. */
const VARIABLES = ['PYTHONDONTWRITEBYTECODE=1', 'PYTHONUTF8=1'];

/** How a container ended: as an error, and (`exitReason`) as the end of a sentence. */
interface ContainerEnd extends ReportedError {
  readonly exitReason: string;
}

/** A container of a user-provided image, in which a controller is called. */
export class ControllerContainer extends AttachedContainer implements Controller {
  readonly whenEnded: Promise<ContainerEnd>;
  readonly #log: (text: string) => void;
  #source: Source | null = null;
  #pythonPath = '';

  /**
   * Creates and starts a container. Rejects with `container_create_failed`, `container_start_failed`, or the reason of
   * the signal, and removes the container in that case.
   */
  static async start(
    docker: Docker,
    options: Docker.ContainerCreateOptions,
    log: (text: string) => void,
    signal: AbortSignal,
  ): Promise<ControllerContainer> {
    const creation = await createContainer(docker, options, signal);
    const container = new ControllerContainer(creation, log);
    try {
      await creation.container.start().catch((error: DockerError) => {
        const python = /python3.*not found/.test(dockerMessage(error)) ? ' Taskwright needs python3 in the image.' : '';
        const message = `Docker could not start a container of ${options.Image}: ${dockerMessage(error)}.${python}`;
        throw new ServerError('container_start_failed', message, { cause: error });
      });
      return container;
    } catch (error) {
      await container.dispose();
      throw error;
    }
  }

  private constructor(creation: CreatedContainer, log: (text: string) => void) {
    super(creation);
    this.#log = log;
    const append = (text: string): void => {
      this.logLines.add(text);
      log(text);
    };
    const { output, errors } = creation.attachment;
    this.whenEnded = this.#follow(Promise.all([readLines(output, append), readLines(errors, append)]));
  }

  /**
   * Waits for the HEALTHCHECK of the image, if it has one. Rejects with `container_start_failed`, or the reason of the
   * signal.
   */
  async healthy(signal: AbortSignal): Promise<void> {
    const late = performance.now() + HEALTH_LIMIT;
    for (;;) {
      signal.throwIfAborted();
      const state = await this.container.inspect().then(
        ({ State }) => State,
        () => null,
      );
      if (state === null || !state.Running) {
        const { message } = await this.whenEnded;
        throw new ServerError('container_start_failed', message);
      }
      const health = (state as { Health?: { Status: string } }).Health?.Status;
      if (health === undefined || health === 'none' || health === 'healthy') return;
      if (health === 'unhealthy' || performance.now() > late) {
        const message = `The container started, but its HEALTHCHECK reports ${health}.${this.logLines.lastOutput()}`;
        throw new ServerError('container_start_failed', message);
      }
      await new Promise((resolve) => setTimeout(resolve, HEALTH_PAUSE));
    }
  }

  /**
   * Uses the controller files of a local folder from now on, as they are at each call. Rejects with `start_failed` if its
   * dependencies cannot be installed, or with the reason of the signal.
   */
  async serve(source: Source, signal: AbortSignal): Promise<void> {
    this.#source = source;
    const { Config } = await this.container.inspect();
    const pythonPath = Config.Env?.find((one) => one.startsWith('PYTHONPATH='))?.slice('PYTHONPATH='.length);
    this.#pythonPath = `PYTHONPATH=${SOURCE}/src${pythonPath ? `:${pythonPath}` : ''}`;
    await source.bring(this.container, this.#log, signal).catch((error: unknown) => {
      if (!(error instanceof ControllerError)) throw error;
      throw new ServerError('start_failed', `The controller cannot be called: ${error.message}.`, { cause: error });
    });
  }

  async invoke(invocation: Invocation, signal: AbortSignal): Promise<InvocationResult> {
    await this.#source?.bring(this.container, this.#log);
    const conversation = new Conversation(invocation);
    const env = this.#source === null ? VARIABLES : [...VARIABLES, this.#pythonPath];
    try {
      const { exitCode, errors } = await exec(this.container, ['python3', '-c', SCRIPT], {
        env,
        input: conversation.request,
        signal,
        onOutput: (chunk) => conversation.receive(chunk),
      });
      for (const line of errors.split('\n')) if (line !== '') this.#log(line);
      const { result } = conversation;
      if (result !== null) return result;
      const stderrTail = lastLines(errors);
      throw new ControllerError(endOf(exitCode, null, stderrTail), stderrTail);
    } catch (error) {
      if (signal.aborted) await this.#killProcess(conversation.pid);
      // The reason why the container ended is more useful than a failed exec.
      const end = await Promise.race([this.whenEnded, noAnswer(EXIT_REPORT_DELAY).then(() => null)]);
      if (end !== null) throw new ServerError(end.code, end.message, { cause: error });
      if (error instanceof ControllerError) throw error;
      throw new ControllerError(`it could not be called in its container: ${dockerMessage(error as DockerError)}`);
    }
  }

  ownPath(path: string): string {
    return this.#source?.ownPath(path) ?? path;
  }

  close(): Promise<void> {
    return this.dispose();
  }

  async #killProcess(pid: number | null): Promise<void> {
    if (pid === null) return;
    const kill = ['python3', '-c', 'import os, sys; os.kill(int(sys.argv[1]), 9)', String(pid)];
    await exec(this.container, kill).catch(() => {
      // The process has ended with its container.
    });
  }

  async #follow(stderrRead: Promise<unknown>): Promise<ContainerEnd> {
    const { code, error } = await this.exit;
    await stderrRead;
    if (this.isDisposed)
      return { code: 'server_ended', message: 'The environment was ended.', exitReason: 'was ended' };
    if (error !== null) {
      const message = `The connection to Docker was lost, and the container ended: ${error.message}. Check that Docker is running, then run the task again.`;
      return { code: 'docker_gone', message, exitReason: `lost its connection to Docker: ${error.message}` };
    }
    const exitReason =
      code === 137
        ? 'was killed. Either it exceeded its memory limit (metadata.docker.memory), or it was removed'
        : `ended (exit code ${code})`;
    const message = `The container of the environment ${exitReason}. Run the task again to start a new one.${this.logLines.lastOutput()}`;
    return { code: 'container_died', message, exitReason };
  }
}
