import type { LogLines } from '../base/log-lines.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { PlacementKind } from '../tasks/placement-kind.ts';
import type { Task } from '../tasks/task.ts';
import type { ReportedError, RunningEnvironment, Usage } from './placement.ts';

/** How long a server stays without a run, in ms. */
const IDLE = 5 * 60_000;

/** A started server of an environment. */
export interface StartedServer {
  /** Of the environment. */
  readonly name: string;
  readonly address: string;
  readonly id: string;
  readonly logLines: LogLines;
  /** Resolves when it has ended. */
  readonly exit: Promise<unknown>;
  /** It serves one run at a time. */
  readonly exclusive?: boolean;
  usage(): Promise<Usage | null>;
  /** Explains an error: the traceback that it logged, or how it ended. Null if neither is known. */
  explain?(error: ReportedError): Promise<string | null>;
  /** Never rejects. */
  stop(): Promise<void>;
}

/** The use of a server by one run. */
export interface ServerUse {
  readonly server: StartedServer;
  release(): void;
}

/**
 * The servers of environments that a placement has started. One serves all runs of its environment until it is idle, unless it
 * is exclusive.
 */
export class SharedServers {
  readonly #placement: PlacementKind;
  readonly #idleMs: number;
  /** The servers for new runs. */
  readonly #entries = new Map<string, Entry>();
  /** Servers of older versions, which end with their last run. */
  readonly #outdated = new Set<Entry>();

  constructor(placement: PlacementKind, idleMs = IDLE) {
    this.#placement = placement;
    this.#idleMs = idleMs;
  }

  get running(): readonly RunningEnvironment[] {
    return [...this.#entries.values(), ...this.#outdated].flatMap(({ environment }) => environment ?? []);
  }

  /**
   * The server with a key; started if it does not run in this version. Rejects as `start` does, which is then tried again by
   * the next run, or with the reason of the signal.
   * @param version of what it is started from
   */
  async take(
    key: string,
    task: Task,
    start: () => Promise<StartedServer>,
    signal: AbortSignal | undefined,
    version = '',
  ): Promise<ServerUse> {
    for (let copy = 1; ; copy += 1) {
      const { isFirst, ...use } = await this.#take(copy === 1 ? key : `${key} ${copy}`, task, start, signal, version);
      if (use.server.exclusive !== true || isFirst) return use;
      use.release();
    }
  }

  /** `isFirst`: no other run uses the server. */
  async #take(
    key: string,
    task: Task,
    start: () => Promise<StartedServer>,
    signal: AbortSignal | undefined,
    version: string,
  ): Promise<ServerUse & { readonly isFirst: boolean }> {
    const existing = this.#entries.get(key);
    if (existing?.hasEnded === true) await this.#stop(existing);
    else if (existing !== undefined && existing.version !== version) this.#outdate(existing);
    const entry = this.#entries.get(key) ?? this.#start(key, version, start);
    clearTimeout(entry.idle);
    const user = { task };
    entry.users.add(user);
    const release = (): void => {
      if (!entry.users.delete(user) || entry.users.size > 0) return;
      if (this.#outdated.has(entry)) void this.#stop(entry);
      else entry.idle = setTimeout(() => void this.#stop(entry), this.#idleMs).unref();
    };
    try {
      const server = await untilAborted(entry.starting, signal);
      const [first] = entry.users;
      return { server, release, isFirst: first === user };
    } catch (error) {
      release();
      throw error;
    }
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#entries.values(), ...this.#outdated].map((entry) => this.#stop(entry)));
  }

  #start(key: string, version: string, start: () => Promise<StartedServer>): Entry {
    const entry: Entry = { key, version, users: new Set(), starting: start(), hasEnded: false };
    this.#entries.set(key, entry);
    entry.starting.then(
      (server) => {
        entry.environment = environmentOf(server, this.#placement, entry.users, () => this.#stop(entry));
        void server.exit.then(() => {
          entry.hasEnded = true;
        });
      },
      () => this.#forget(entry),
    );
    return entry;
  }

  /** Leaves a server to the runs that it has. */
  #outdate(entry: Entry): void {
    clearTimeout(entry.idle);
    this.#forget(entry);
    this.#outdated.add(entry);
    if (entry.users.size === 0) void this.#stop(entry);
  }

  async #stop(entry: Entry): Promise<void> {
    clearTimeout(entry.idle);
    this.#forget(entry);
    // Whoever requested a server that did not start has the error.
    const server = await entry.starting.catch(() => null);
    await server?.stop();
    this.#outdated.delete(entry);
  }

  #forget(entry: Entry): void {
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
  }
}

interface Entry {
  readonly key: string;
  readonly version: string;
  readonly users: Set<{ readonly task: Task }>;
  readonly starting: Promise<StartedServer>;
  /** Set once it has started. */
  environment?: RunningEnvironment;
  hasEnded: boolean;
  idle?: NodeJS.Timeout;
}

function environmentOf(
  server: StartedServer,
  placement: PlacementKind,
  users: Entry['users'],
  dispose: () => Promise<void>,
): RunningEnvironment {
  const { id, name, address, logLines } = server;
  return {
    placement,
    id,
    name,
    hudAddress: address.startsWith('tcp:') ? address : undefined,
    get tasks() {
      return [...users].map(({ task }) => task);
    },
    startTime: new Date(),
    shellUser: null,
    logLines,
    usage: () => server.usage(),
    dispose,
  };
}
