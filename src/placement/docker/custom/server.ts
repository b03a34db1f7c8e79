import type { LogLines } from '../../../base/log-lines.ts';
import { untilAborted } from '../../../base/until-aborted.ts';
import { CustomEnvironment } from '../../../environments/custom/environment.ts';
import { runCallWithLimit } from '../../../server/calls.ts';
import type { CallOutcome, Method, Params, Results, ServerEvent } from '../../../server/protocol.ts';
import type { Task } from '../../../tasks/task.ts';
import {
  type EnvironmentServer,
  type ReportedError,
  type RunningEnvironment,
  ServerError,
  type Usage,
} from '../../placement.ts';
import type { ControllerContainer } from './container.ts';

const SESSION = 'controller';

/**
 * A custom environment in its own container. Only user code runs in the container, one process for each call, so there
 * is no environment server in it: this class answers the requests by calling the controller through Docker.
 */
export class ControllerServer implements EnvironmentServer, RunningEnvironment {
  readonly placement = 'docker';
  readonly startTime = new Date();
  readonly shellUser = null;
  readonly tasks: readonly Task[];
  readonly whenEnded: Promise<ReportedError>;
  /** Resolves when the container is removed. */
  readonly whenRemoved: Promise<void>;
  readonly #container: ControllerContainer;
  readonly #environment: CustomEnvironment;
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  readonly #folder: string;
  #isReset = false;

  host: string | undefined;

  /** `folder`: the local folder of the task. */
  constructor(container: ControllerContainer, task: Task, folder: string) {
    this.#container = container;
    this.#folder = folder;
    this.tasks = [task];
    this.whenEnded = container.ended;
    this.whenRemoved = container.whenRemoved;
    const log = (text: string): void => this.#notify({ event: 'log', session: SESSION, level: 'info', text });
    this.#environment = new CustomEnvironment(async () => {
      if (this.#isReset) throw new ServerError('reset_twice', 'A container can only run one task. Open a new one.');
      this.#isReset = true;
      return container;
    }, log);
  }

  get id(): string {
    return this.#container.id;
  }

  get logLines(): LogLines {
    return this.#container.logLines;
  }

  usage(): Promise<Usage | null> {
    return this.#container.usage();
  }

  async request<M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Results[M]> {
    signal?.throwIfAborted();
    const answer = Promise.race([this.#answer(method, params as never), this.#whenEnded()]);
    return untilAborted(answer as Promise<Results[M]>, signal);
  }

  async reach(): Promise<never> {
    throw new ServerError('not_reached', 'Stepping into the Python code of a controller is not supported.');
  }

  onEvent(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  dispose(): Promise<void> {
    return this.#container.close();
  }

  async #answer(method: Method, params: never): Promise<unknown> {
    switch (method) {
      case 'session.open':
        return { session: SESSION };
      case 'session.reset': {
        const { task, files, seed } = params as Params<'session.reset'>;
        const result = await this.#environment.reset({ task, files, seed });
        return { ...result, folder: this.#folder };
      }
      case 'session.step': {
        const { actions, screen } = params as Params<'session.step'>;
        return this.#environment.step(actions, screen);
      }
      case 'session.setup':
      case 'session.evaluate':
        return this.#call(method === 'session.setup' ? 'setup' : 'evaluate', params);
      case 'session.urls':
        return this.#environment.urls();
      case 'session.pointed':
        return { pointed: null };
      case 'session.live':
      case 'session.close':
        return {};
      case 'session.query':
        throw new ServerError('no_page', 'This environment has no page.');
      case 'session.inspect':
        throw new ServerError('not_inspected', 'Stepping into the Python code of a controller is not supported.');
      default:
        throw new ServerError('unknown_method', `A custom environment does not support ${method}.`);
    }
  }

  #call(phase: 'setup' | 'evaluate', params: Params<'session.evaluate'>): Promise<CallOutcome> {
    const { call, limit_ms, response } = params;
    return runCallWithLimit({
      phase,
      call,
      environment: this.#environment,
      folder: this.#folder,
      limitMs: limit_ms,
      response,
      onFunctions: () => {},
    });
  }

  async #whenEnded(): Promise<never> {
    const { code, message } = await this.whenEnded;
    throw new ServerError(code, message);
  }

  #notify(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
