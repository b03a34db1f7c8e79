import { CodedError } from '../base/coded-error.ts';
import type { Json } from '../base/json.ts';
import type { LogLines } from '../base/log-lines.ts';
import type { ErrorCode } from '../environments/faults.ts';
import type { KnownFile } from '../environments/known-file.ts';
import type { Method, Params } from '../server/protocol.ts';
import type { Results, ServerEvent } from '../server/results.ts';
import type { PlacementKind } from '../tasks/placement-kind.ts';
import type { Task } from '../tasks/task.ts';

/** A running environment server: a child process, a container, later a remote host. */
export interface EnvironmentServer {
  /** Sends a request over the control channel. Rejects with `ServerError` if it fails or the server has ended. */
  request<M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Results[M]>;
  /** Subscribes to the events of the server. Returns a function that removes the listener. */
  onEvent(listener: (event: ServerEvent) => void): () => void;
  /**
   * Returns a local port that forwards to a port of the server until the server ends. Rejects with `ServerError` if
   * that is not possible.
   */
  reach(port: number): Promise<number>;
  /** Resolves with the reason once the server has ended in any way. */
  readonly whenEnded: Promise<ReportedError>;
  /** Ends the server and everything that it started. */
  dispose(): Promise<void>;
}

/** Where environments run. Provides a server for each run. */
export interface Placement {
  readonly kind: PlacementKind;
  /** Starts in the background what every task needs. `open` reports a failure to start. */
  prepare?(): void;
  /** Provides a server for one run of a task. Rejects with `ServerError`. */
  open(task: Task, options: OpenOptions): Promise<Lease>;
  /** The running servers, oldest first. */
  running(): readonly RunningEnvironment[];
  /** Ends all servers. */
  dispose(): Promise<void>;
}

export interface OpenOptions {
  readonly signal?: AbortSignal;
  /** Absolute paths of files that no agent may read; absent if no agent runs. */
  readonly withheld?: readonly KnownFile[];
  /** Only recorded snapshots are evaluated, so no server of an environment is needed. */
  readonly recorded?: true;
  /**
   * Attaches a debugger to the environment, if it is Python code on this machine. Its server is then started for this run
   * alone, and its code does not run before this resolves. Never rejects.
   */
  readonly attachPython?: AttachPython;
  /** Receives progress messages, such as `Building the image: step 3 of 9`. */
  progress(text: string): void;
}

/**
 * @param open connects to debugpy, whose messages `listen` receives; null means that it has ended. Rejects with a message for
 * the user if debugpy does not connect.
 */
export type AttachPython = (open: (listen: (message: Json) => void) => Promise<AttachedPython>) => Promise<void>;

/** A connection to debugpy in the server of an environment. */
export interface AttachedPython {
  /** Rejects if the server has ended. */
  send(message: Json): Promise<void>;
}

/** An error of a run. */
export interface ReportedError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** A server for one run, exclusive or shared with other runs. */
export interface Lease {
  readonly server: EnvironmentServer;
  /** The folder of the task as the server sees it, or its files if the server cannot read the folder. */
  readonly files: Params<'session.reset'>['files'];
  /** Where the server of the environment is, if it was started for the task. */
  readonly address?: string;
  /** Where the server of the task's verifier is, if one was started. */
  readonly verifier?: string;
  /** The Docker host as the user named it, or the node of a swarm, if there are several. */
  readonly host?: string;
  /** A debugger is attached to that server and may pause it, so no time limits apply. */
  readonly debugged?: true;
  /** Explains an error: the traceback that a server logged, or how the server ended. Null if neither is known. */
  explain?(error: ReportedError): Promise<string | null>;
  /** Called at the end of the run: ends what was started for it alone. Never rejects. */
  release(): Promise<void>;
}

/** A running environment server, for views. */
export interface RunningEnvironment {
  readonly placement: PlacementKind;
  /** The id of the container, or the process id of a local server. */
  readonly id: string;
  /** The Docker host that it is on, as the user wrote it, if there are several. */
  readonly host?: string | undefined;
  /** Of an environment that has a server of its own. */
  readonly name?: string | undefined;
  /** The tasks that run in it; empty while it waits for a run. */
  readonly tasks: readonly Task[];
  readonly startTime: Date;
  /** The user for a shell in the container, as a name or ids; null for the default user of the container. */
  readonly shellUser: string | null;
  /** Where the control channel of a HUD environment is, which may offer a shell. */
  readonly hudAddress?: string | undefined;
  readonly logLines: LogLines;
  /** Resource usage since the last call; null if unknown. Never rejects. */
  usage(): Promise<Usage | null>;
  /** Ends it and all runs in it. */
  dispose(): Promise<void>;
}

export interface Usage {
  /** Processors in use: 0.5 is half of one; null before the second measurement. */
  readonly cpus: number | null;
  /** In bytes. */
  readonly memory: number;
  /** Memory limit in bytes; null if there is none. */
  readonly memoryLimit: number | null;
}

export class ServerError extends CodedError<ErrorCode> {
  override readonly name = 'ServerError';
}

/** Whether an error is a `ServerError`. The extension and the Docker client each have their own copy of the class. */
export function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && error.name === 'ServerError' && 'code' in error && typeof error.code === 'string';
}
