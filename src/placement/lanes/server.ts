import { PassThrough } from 'node:stream';
import { LogLines } from '../../base/log-lines.ts';
import { patient } from '../../base/patience.ts';
import { withTimeout } from '../../base/timeout.ts';
import { readLines } from '../../server/log.ts';
import type { Method, Params } from '../../server/protocol.ts';
import type { Results } from '../../server/results.ts';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import type { Task } from '../../tasks/task.ts';
import { Control, TAMPERING } from '../control.ts';
import { type EnvironmentServer, type RunningEnvironment, ServerError, type Usage } from '../placement.ts';
import type { LaneKind, TaskEnd } from './engine.ts';
import type { Lane, LaneOutcome } from './hub.ts';
import type { QueuedLane } from './queue.ts';

/** Time limit for the server to answer, and to end, in ms. */
const READY_LIMIT = patient(30_000);
const END_LIMIT = 5_000;
/** Exit code of a killed process: 128 + SIGKILL. */
const KILLED = 137;
const NOT_REACHED = 'A port of a lane cannot be reached. To debug functions, run the task with --placement docker.';

/** Why a server has ended. */
type ServerEnd = Awaited<EnvironmentServer['whenEnded']>;

/** The server of a lane as one run has it. */
export interface LentServer extends EnvironmentServer {
  /** Ends the use by the run. Returns whether another run can have the server: no session of this one may be left in it. */
  giveBack(): boolean;
}

interface LaneServerOptions {
  readonly placement: LaneKind;
  readonly limits: ContainerLimits;
  /** How the task or the pod of a lane has ended; null if that is unknown. */
  ask(task: string): Promise<TaskEnd | null>;
  log(text: string): void;
}

/** An environment server in a lane, which makes one run after the other. The control channel is its connection. */
export class LaneServer implements RunningEnvironment, QueuedLane {
  readonly placement: LaneKind;
  readonly startTime = new Date();
  readonly shellUser = null;
  readonly logLines = new LogLines();
  readonly whenEnded: Promise<ServerEnd>;
  readonly #lane: Lane;
  readonly #options: LaneServerOptions;
  readonly #control: Control;
  #disposed = false;
  #end: ServerEnd | null = null;
  /** The run that has it; null while it waits for one. */
  #run: { readonly task: Task; ended(end: ServerEnd): void } | null = null;

  constructor(lane: Lane, options: LaneServerOptions) {
    const { placement, log } = options;
    this.placement = placement;
    this.#lane = lane;
    this.#options = options;
    const errors = new PassThrough();
    lane.stream.on('log', (text: Buffer) => void errors.write(text));
    const logRead = readLines(errors, (text) => {
      this.logLines.add(text);
      log(text);
    });
    this.#control = new Control({
      input: lane.stream,
      output: lane.stream,
      log,
      // The server is useless without the channel.
      onClose: () => this.drop(),
    });
    this.whenEnded = lane.whenEnded.then(async (outcome) => {
      errors.end();
      await logRead;
      const end = await this.#endOf(outcome);
      this.#end = end;
      this.#control.end(new ServerError(end.code, end.message));
      this.#run?.ended(end);
      return end;
    });
  }

  get id(): string {
    return this.#lane.hello.task;
  }

  get host(): string {
    return this.#lane.hello.node;
  }

  get tasks(): readonly Task[] {
    return this.#run === null ? [] : [this.#run.task];
  }

  /** Waits for the server to answer. Rejects with `ServerError`, and ends the lane, if it does not. */
  async handshake(): Promise<void> {
    const message = `its server did not answer within ${READY_LIMIT / 1000} s`;
    try {
      await this.#control.handshake(READY_LIMIT, () => new ServerError('container_start_failed', message));
    } catch (error) {
      this.drop();
      throw error;
    }
  }

  /** Gives it to a run, which no other run may have. Nothing that this run keeps of it stays longer than the run. */
  lend(task: Task): LentServer {
    const { promise: whenEnded, resolve } = Promise.withResolvers<ServerEnd>();
    if (this.#end !== null) resolve(this.#end);
    this.#run = { task, ended: resolve };
    this.logLines.clear();
    let openSessions = 0;
    return {
      whenEnded,
      request: async <M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Results[M]> => {
        // Even if it fails: the server may have opened it.
        if (method === 'session.open') openSessions += 1;
        const result = await this.#control.request(method, params, signal);
        if (method === 'session.close') openSessions -= 1;
        return result;
      },
      onEvent: (listener) => this.#control.onEvent(listener),
      reach: () => Promise.reject(new ServerError('not_reached', NOT_REACHED)),
      dispose: () => this.dispose(),
      giveBack: () => {
        this.#run = null;
        return openSessions === 0;
      },
    };
  }

  usage(): Promise<Usage | null> {
    return Promise.resolve(null);
  }

  /** Asks the server to end, so that the lane can start another one. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#lane.stream.end();
    if ((await withTimeout(END_LIMIT, this.#lane.whenEnded)) === null) this.#lane.drop();
    await this.whenEnded;
  }

  drop(): void {
    this.#lane.drop();
  }

  async #endOf(outcome: LaneOutcome): Promise<ServerEnd> {
    if (this.#control.isTampered) return TAMPERING;
    if (this.#disposed) return { code: 'server_ended', message: 'The environment server was ended.' };
    const where = `on the node ${this.host}`;
    if (outcome === 'silent') return this.#lost(where, 'nothing was heard of it for 20 seconds');
    const end =
      outcome === 'closed'
        ? await this.#options.ask(this.id)
        : { exitCode: outcome.server.signal === 'SIGKILL' ? KILLED : outcome.server.code, error: '' };
    if (end?.exitCode === KILLED) {
      return {
        code: 'container_died',
        message: `The container ${where} was killed. It probably exceeded its memory limit of ${this.#options.limits.memory} MB (metadata.docker.memory).${this.logLines.lastOutput()}`,
      };
    }
    if (outcome === 'closed') return this.#lost(where, end?.error || 'its connection was closed');
    return {
      code: 'container_died',
      message: `The environment server ${where} ended (exit code ${end?.exitCode}).${this.logLines.lastOutput()}`,
    };
  }

  #lost(where: string, why: string): ServerEnd {
    return { code: 'lane_lost', message: `The lane ${where} was lost: ${why}.` };
  }
}
