import type Docker from 'dockerode';
import { patient } from '../../base/patience.ts';
import { readLines } from '../../server/log.ts';
import type { Method, Params } from '../../server/protocol.ts';
import type { Results, ServerEvent } from '../../server/results.ts';
import type { Task } from '../../tasks/task.ts';
import { Control, TAMPERING } from '../control.ts';
import { type EnvironmentServer, type ReportedError, type RunningEnvironment, ServerError } from '../placement.ts';
import {
  AttachedContainer,
  type CreatedContainer,
  createContainer,
  type DockerError,
  dockerMessage,
  type Exit,
  noAnswer,
} from './attached-container.ts';
import { bridgeTo } from './bridge.ts';
import { agentIdOf, type ContainerSecurity, type ContainerSpec, createOptions } from './create-options.ts';

/** Time limit for the server to answer, in ms. */
const READY_LIMIT = patient(30_000);
/** How long a container may take to end by itself, in ms. */
const END_GRACE = 2_000;
/** Exit code of a killed process: 128 + SIGKILL. */
const KILLED = 137;

/** An environment server in its own container. The control channel is the attached streams. */
export class Container extends AttachedContainer implements EnvironmentServer, RunningEnvironment {
  readonly placement = 'docker';
  readonly startTime = new Date();
  readonly spec: ContainerSpec;
  readonly shellUser: string | null;
  readonly whenEnded: Promise<ReportedError>;
  host: string | undefined;
  /** The task that uses it; null while it is waiting for a run. */
  task: Task | null = null;
  /** User and group of the server. */
  readonly #user: string;
  readonly #control: Control;
  #ready = false;

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
    const creation = await createContainer(docker, createOptions(spec, sealing), signal);
    const container = new Container(creation, spec, sealing, log);
    try {
      await creation.container.start().catch((error: DockerError) => {
        const message = `Docker could not start a container: ${dockerMessage(error)}`;
        throw new ServerError('container_start_failed', message, { cause: error });
      });
      await container.#handshake(signal);
      return container;
    } catch (error) {
      await container.dispose();
      throw error;
    }
  }

  private constructor(
    creation: CreatedContainer,
    spec: ContainerSpec,
    { user }: ContainerSecurity,
    log: (text: string) => void,
  ) {
    super(creation);
    this.spec = spec;
    this.#user = `${user.uid}:${user.gid}`;
    const agent = agentIdOf(spec.kind, user);
    this.shellUser = agent === null ? null : `${agent}:${agent}`;
    const { stream, output, errors } = creation.attachment;
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
        stream.end();
        void Promise.race([creation.end.exit, noAnswer(END_GRACE)]).then(() => this.remove());
      },
    });
    this.whenEnded = this.#follow(stderrRead);
  }

  get tasks(): readonly Task[] {
    return this.task === null ? [] : [this.task];
  }

  request<M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Results[M]> {
    return this.#control.request(method, params, signal);
  }

  async reach(port: number): Promise<number> {
    const bridge = await bridgeTo(this.container, this.#user, port);
    void this.whenEnded.then(() => bridge.close());
    return bridge.port;
  }

  onEvent(listener: (event: ServerEvent) => void): () => void {
    return this.#control.onEvent(listener);
  }

  async #handshake(signal?: AbortSignal): Promise<void> {
    const onLate = (): ServerError =>
      new ServerError(
        'container_start_failed',
        `The container started, but its server did not respond within ${READY_LIMIT / 1000} s.${this.logLines.lastOutput()}`,
      );
    await this.#control.handshake(READY_LIMIT, onLate, signal);
    this.#ready = true;
  }

  /** Waits for the container to end, and determines why. */
  async #follow(stderrRead: Promise<void>): Promise<ReportedError> {
    const exit = await this.exit;
    await stderrRead;
    const end = this.#endOf(exit);
    this.#control.end(new ServerError(end.code, end.message));
    return end;
  }

  #endOf({ code, error }: Exit): ReportedError {
    if (this.isDisposed) return { code: 'server_ended', message: 'The environment server was ended.' };
    if (this.#control.isTampered) return TAMPERING;
    if (error !== null) {
      return {
        code: 'docker_gone',
        message: `The connection to Docker was lost, and the container ended: ${error.message}. Check that Docker is running, then run the task again.`,
      };
    }
    const endReason =
      code === KILLED
        ? `was killed. Either it exceeded its memory limit of ${this.spec.limits.memory} MB (metadata.docker.memory or the setting taskwright.docker.memory), or it was removed`
        : `ended (exit code ${code})`;
    const suffix = this.#ready ? '' : ' before it was ready';
    return {
      code: this.#ready ? 'container_died' : 'container_start_failed',
      message: `The container ${endReason}${suffix}. Run the task again to start a new one.${this.logLines.lastOutput()}`,
    };
  }
}
