import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { defined } from '../base/defined.ts';
import { LogLines } from '../base/log-lines.ts';
import { patient } from '../base/patience.ts';
import { describeSystemError } from '../base/system-error.ts';
import { withTimeout } from '../base/timeout.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { ServerSource } from '../environments/kind.ts';
import { kindOfType } from '../environments/kinds.ts';
import { untilExit } from '../processes/exit.ts';
import { killGroup } from '../processes/groups.ts';
import { inheritedVariables } from '../processes/inherited-variables.ts';
import { checkPipes } from '../processes/pipes.ts';
import { clearFolder, newFolderPath } from '../server/folder.ts';
import { readLines } from '../server/log.ts';
import type { Method, Params } from '../server/protocol.ts';
import { refusing } from '../server/refused-ports.ts';
import type { Results, ServerEvent } from '../server/results.ts';
import type { Task } from '../tasks/task.ts';
import { Control, TAMPERING } from './control.ts';
import {
  type EnvironmentServer,
  type OpenOptions,
  type Placement,
  type ReportedError,
  type RunningEnvironment,
  ServerError,
  type Usage,
} from './placement.ts';
import { SharedServers } from './shared-servers.ts';
import { sourceStamp } from './source-stamp.ts';
import { takeServers } from './task-servers.ts';

/** Time limit for a server to answer, in ms. */
const START_LIMIT = patient(20_000);
/** How long a server may take to end by itself, and then after SIGTERM, before it is killed, in ms. */
const END_LIMITS = { byItself: 2_000, asked: 1_000 };
/** How long to wait for the remaining log of a server that has ended, in ms. */
const OUTPUT_GRACE = 500;

export interface LocalPlacementOptions {
  /** Path of `dist/server.js`. */
  readonly serverProgram: string;
  /** Receives the log of the server and its browsers. */
  log(text: string): void;
  /** Path of the browser; located automatically if absent. */
  readonly browser?: string;
  /** The folder of the MiniWoB++ pages; located automatically if absent. */
  readonly miniwob?: string;
  /** Megabytes of JavaScript heap for each session. */
  readonly memoryMb?: number;
  /** Whether to prepare a session for the next task while one is open; the default is true. */
  readonly prepareNext?: boolean;
  /** Ports of this machine that pages do not reach. */
  readonly refusedPorts?: readonly number[];
  /** Additional environment variables for the server and user-defined functions. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface LocalPlacement extends Placement {
  /** The server that all runs share. Starts one if there is none. */
  server(signal?: AbortSignal): Promise<EnvironmentServer>;
  prepare(): void;
}

/** Environments on this machine: one server in a child process that runs with the same Node. */
export function localPlacement(options: LocalPlacementOptions): LocalPlacement {
  let current: Promise<LocalServer> | null = null;
  let isDisposed = false;
  const running = new Set<LocalServer>();
  const servers = new SharedServers('local');
  /** Servers of one run each, to which a debugger is attached. */
  const debuggedServers = new SharedServers('local', 0);

  const start = (browserAhead: boolean): Promise<LocalServer> => {
    const server = new LocalServer(options, browserAhead, () => {
      if (current === starting) current = null;
    });
    running.add(server);
    void server.whenEnded.then(() => running.delete(server));
    const starting: Promise<LocalServer> = server.handshake().then(() => server);
    return starting;
  };

  const sharedServer = async (signal?: AbortSignal, browserAhead = true): Promise<LocalServer> => {
    signal?.throwIfAborted();
    if (isDisposed) throw new ServerError('placement_disposed', 'The environment has already ended.');
    current ??= start(browserAhead);
    return signal === undefined ? current : untilAborted(current, signal);
  };

  /** The server of an environment that is a folder or a Python file; null if it is something else. */
  const serve = async (source: ServerSource, task: Task, { progress, signal, attachPython }: OpenOptions) => {
    if (!('hud' in source || 'folder' in source)) return null;
    const { log } = options;
    const start = async () => {
      progress('Starting the environment');
      const debugging = attachPython === undefined ? {} : { attachPython, ...defined({ signal }) };
      if ('hud' in source) {
        const { startEnvServer } = await import('./hud/env-server.ts');
        return startEnvServer({ ...source, ...debugging, log });
      }
      const { startFolderServer } = await import('./openenv/folder-server.ts');
      return startFolderServer({ ...source, ...debugging, log });
    };
    if (attachPython !== undefined) return debuggedServers.take(randomUUID(), task, start, signal);
    const version = await sourceStamp('hud' in source ? source.hud : source.folder);
    return servers.take(JSON.stringify(source), task, start, signal, version);
  };

  return {
    kind: 'local',
    server: sharedServer,
    // A failure to start is reported to whoever opens the placement.
    prepare: () => void sharedServer(undefined, false).catch(() => undefined),
    async open(task, opening) {
      const { signal, withheld, recorded } = opening;
      // Starts while the servers of the environment do, which may take longer and fail first.
      const starting = sharedServer(signal, kindOfType(task.env)?.needsBrowser === true);
      // Awaited below, unless the other servers have failed by then, whose error is reported.
      starting.catch(() => undefined);
      const folder = dirname(task.file);
      const { attachPython, ...undebugged } = opening;
      let debugging = {};
      const use =
        recorded === true
          ? null
          : await takeServers(task, async (source, part) => {
              if (part === 'verifier') return serve(source, task, undebugged);
              const use = await serve(source, task, opening);
              if (attachPython !== undefined && use !== null) debugging = { debugged: true as const };
              return use;
            });
      const server = await starting.catch((error: unknown) => {
        use?.release();
        throw error;
      });
      const lease = { task };
      server.leases.add(lease);
      const release = async (): Promise<void> => {
        server.leases.delete(lease);
        use?.release();
      };
      return { server, files: { folder, withheld: withheld && [...withheld] }, ...use?.lease, ...debugging, release };
    },
    running: () => [...running, ...servers.running, ...debuggedServers.running],
    async dispose() {
      isDisposed = true;
      await Promise.all([
        servers.dispose(),
        debuggedServers.dispose(),
        ...[...running].map((server) => server.dispose()),
      ]);
    },
  };
}

class LocalServer implements EnvironmentServer, RunningEnvironment {
  readonly placement = 'local';
  readonly startTime = new Date();
  readonly shellUser = null;
  /** One lease for each run. */
  readonly leases = new Set<{ readonly task: Task }>();
  readonly whenEnded: Promise<ReportedError>;
  readonly #folder = newFolderPath();
  readonly #child: ChildProcess;
  readonly #control: Control;
  /** Resolves with how the process ended, as the end of a sentence. */
  readonly #exit: Promise<string>;
  readonly logLines = new LogLines();
  #disposing: Promise<void> | null = null;

  /** `lost`: called as soon as the server cannot take requests any longer. */
  constructor(options: LocalPlacementOptions, browserAhead: boolean, onEnd: () => void) {
    const { serverProgram, log, browser, miniwob, memoryMb, prepareNext = true, refusedPorts = [] } = options;
    const args = [serverProgram, '--folder', this.#folder];
    if (memoryMb !== undefined) args.push('--memory', String(memoryMb));
    if (!browserAhead) args.push('--browser-later');
    if (!prepareNext) args.push('--alone');
    const child = spawn(process.execPath, args, {
      env: {
        ...inheritedVariables(process.env),
        ...options.env,
        ...(process.versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' }),
        ...(browser === undefined ? {} : { TASKWRIGHT_BROWSER: resolve(browser) }),
        ...(miniwob === undefined ? {} : { TASKWRIGHT_MINIWOB: resolve(miniwob) }),
        ...refusing(refusedPorts),
        // Identifies all processes that this server starts.
        TASKWRIGHT_OWNER: `${process.pid}-${randomBytes(6).toString('hex')}`,
      },
      // A process group of its own: Ctrl+C in the terminal is for the command line, which then ends the server.
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    try {
      checkPipes(child);
    } catch (error) {
      const message = `The environment server could not be started: ${describeSystemError(error)}.`;
      throw new ServerError('server_start_failed', message, { cause: error });
    }
    this.#child = child;
    const output = readLines(child.stderr, (text) => {
      this.logLines.add(text);
      log(text);
    });
    this.#exit = untilExit(child);
    this.#control = new Control({
      input: child.stdout,
      output: child.stdin,
      log,
      // The server is useless without the channel, and may not have noticed that it is closed.
      onClose: () => {
        onEnd();
        void this.#escalate();
      },
    });
    this.whenEnded = this.#follow(output);
  }

  get id(): string {
    return String(this.#child.pid ?? '');
  }

  get tasks(): readonly Task[] {
    return [...this.leases].map(({ task }) => task);
  }

  async usage(): Promise<Usage | null> {
    const { processUsage } = await import('./usage.ts');
    return this.#child.pid === undefined ? null : processUsage(this.#child.pid);
  }

  /** Resolves when the server answers. Ends the server if it does not. */
  async handshake(): Promise<void> {
    const onLate = (): ServerError => new ServerError('server_start_failed', this.#endMessage('did not start in time'));
    try {
      await this.#control.handshake(START_LIMIT, onLate);
    } catch (error) {
      await this.dispose();
      throw error;
    }
  }

  request<M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Results[M]> {
    return this.#control.request(method, params, signal);
  }

  async reach(port: number): Promise<number> {
    return port;
  }

  onEvent(listener: (event: ServerEvent) => void): () => void {
    return this.#control.onEvent(listener);
  }

  dispose(): Promise<void> {
    this.#disposing ??= (async () => {
      this.#child.stdin?.end();
      await this.#escalate();
      await this.whenEnded;
    })();
    return this.#disposing;
  }

  /** Waits for the server to end, then sends SIGTERM, then kills it. */
  async #escalate(): Promise<void> {
    this.#child.stdin?.end();
    if ((await withTimeout(END_LIMITS.byItself, this.#exit)) !== null) return;
    this.#child.kill('SIGTERM');
    if ((await withTimeout(END_LIMITS.asked, this.#exit)) !== null) return;
    if (this.#child.pid !== undefined) killGroup(this.#child.pid);
  }

  /** Waits for the process to end, cleans up, and determines why it ended. */
  async #follow(output: Promise<void>): Promise<ReportedError> {
    const exitReason = await this.#exit;
    await withTimeout(OUTPUT_GRACE, output);
    for (const stream of this.#child.stdio) stream?.destroy();
    await clearFolder(this.#folder);
    const end: ReportedError =
      this.#disposing !== null
        ? { code: 'server_ended', message: 'The environment server was ended.' }
        : // Among several runs nobody can tell whose agent it was.
          this.#control.isTampered && this.leases.size === 1
          ? TAMPERING
          : { code: 'server_died', message: this.#endMessage(exitReason) };
    this.#control.end(new ServerError(end.code, end.message));
    return end;
  }

  #endMessage(exitReason: string): string {
    return `The environment server ${exitReason}. Run the task again to start a new one.${this.logLines.lastOutput()}`;
  }
}
