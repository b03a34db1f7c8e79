import type { ErrorCode } from '../environments/faults.ts';
import type { KnownFile } from '../environments/known-file.ts';
import type { Method, Params, Results, ServerEvent } from '../server/protocol.ts';
import type { PlacementKind } from '../tasks/placement-kind.ts';
import type { Task } from '../tasks/task.ts';

/** A running environment server, wherever it runs: a child process here, a container, later a remote address. */
export interface EnvironmentServer {
  /** Asks over the control channel. Rejects with `ServerError` where the server says no or has gone. */
  request<M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Results[M]>;
  /** Everything the server says unasked. Returns the function that stops listening. */
  onEvent(listener: (event: ServerEvent) => void): () => void;
  /**
   * A port of this machine's loopback that leads to that one of the server's, until it ends. Rejects with `ServerError`
   * where there is no way.
   */
  reach(port: number): Promise<number>;
  /** Resolves with the reason once the server has ended, however it ended. */
  readonly ended: Promise<{ readonly code: ErrorCode; readonly message: string }>;
  /** Ends the server and everything it started. Resolves when nothing of it is left. */
  dispose(): Promise<void>;
}

/** Where environments run: gives each run a server, started where none is ready. */
export interface Placement {
  readonly kind: PlacementKind;
  /** Starts in the background what every task needs. `open` reports a failure to start. */
  prepare?(): void;
  /** A place for one run of a task. Rejects with `ServerError`. */
  open(task: Task, options: OpenOptions): Promise<Lease>;
  /** What runs there right now, the oldest first. */
  running(): readonly RunningEnvironment[];
  /** Ends every server. Resolves when nothing of them is left. */
  dispose(): Promise<void>;
}

export interface OpenOptions {
  readonly signal?: AbortSignal;
  /** What the run knows and no agent may get, as absolute paths; nothing where no agent runs. */
  readonly withheld?: readonly KnownFile[];
  /** Told what is waited for while the place is made: `Building the image: step 3 of 9`. */
  progress(text: string): void;
}

/** A place for one run: a server, alone or shared with other runs. */
export interface Lease {
  readonly server: EnvironmentServer;
  /** The task's folder as the server sees it, or its files where it cannot. */
  readonly files: Params<'session.reset'>['files'];
  /** The run is over: what was made for it alone ends. Resolves when it has; never rejects. */
  release(): Promise<void>;
}

/** One running environment server, for those who look at what runs. */
export interface RunningEnvironment {
  readonly placement: PlacementKind;
  /** Of a container its id, of a local server its process id. */
  readonly id: string;
  /** The tasks that run in it now; none while it is kept ready. */
  readonly tasks: readonly Task[];
  readonly started: Date;
  /** Who a person's shell in the container runs as, a name or numbers; null for the user of its first program. */
  readonly shellUser: string | null;
  /** What it said last, a line each, the oldest first. */
  readonly words: readonly string[];
  /** What it uses since this was last asked; null where that cannot be told. Never rejects. */
  usage(): Promise<Usage | null>;
  /** Ends it and every run in it. Resolves when nothing of it is left. */
  dispose(): Promise<void>;
}

export interface Usage {
  /** Processors that are busy: 0.5 is half of one; null until there was time to measure. */
  readonly cpus: number | null;
  /** Bytes. */
  readonly memory: number;
  /** Bytes that it may use at most; null where nothing limits it. */
  readonly memoryLimit: number | null;
}

export class ServerError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServerError';
    this.code = code;
  }
}

/** Whether an error is a `ServerError`: what drives Docker is a bundle of its own, with a copy of the class. */
export function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && error.name === 'ServerError' && 'code' in error && typeof error.code === 'string';
}
