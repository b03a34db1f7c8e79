import type { ChildProcess } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { patient } from '../base/patience.ts';
import { removeTree } from '../base/remove-tree.ts';
import { withTimeout } from '../base/timeout.ts';
import type { LocatedMiniwob } from '../environments/browser/miniwob/locate.ts';
import type { ErrorCode } from '../environments/faults.ts';
import { endChildrenOf } from '../processes/children.ts';
import { killGroup } from '../processes/groups.ts';
import { killWithFolder } from '../processes/in-folder.ts';
import { Channel } from './channel.ts';
import { containerMemory } from './container-memory.ts';
import { RequestFailure } from './failure.ts';
import type { ServerFolder } from './folder.ts';
import { INSPECTOR_OUTPUT } from './inspection.ts';
import { readLines } from './log.ts';
import type { CallOutcome, Method, Params } from './protocol.ts';
import { type CallLimit, type GuardedSession, guardLife, guardTime } from './request-guards.ts';
import { RequestQueue } from './request-queue.ts';
import type { Results } from './results.ts';
import {
  exitReason,
  hangMessage,
  killedByKernel,
  OUT_OF_MEMORY,
  type ProcessExit,
  type SessionEnd,
  sessionEnded,
} from './session-end.ts';
import {
  closedSchema,
  miniwobRequest,
  type PassedEvent,
  PING,
  sessionEventSchema,
  unreachedRequest,
} from './session-protocol.ts';
import { type SessionSpawnOptions, spawnSession } from './spawn-session.ts';
import { CHANNEL_FD, MEMORY_NOTICE, WATCH_FD } from './watch.ts';

/** Time limit for opening the inspector, in ms. */
const INSPECTOR_LIMIT = patient(5_000);
/** Time limit for closing the environment, in ms. */
const CLOSE_GRACE = 2_000;
/** Time limit for the process to end once its environment is closed, in ms. */
const LEAVE_GRACE = 500;
/** How long to wait for the remaining output of a process that has ended, in ms. */
const OUTPUT_GRACE = 500;
/** Folders that the browser and Playwright use while the browser runs. */
const BROWSERS = /^(?:playwright|\.?org\.chromium|\.?com\.google\.Chrome)/;

export interface SessionProcessOptions extends SessionSpawnOptions {
  readonly id: string;
  readonly folder: ServerFolder;
  /** Called if the browser cannot use its sandbox. */
  onNoSandbox(): void;
  /** Why a page could not be opened, if the server knows. */
  whyUnreached(url: string): string | null;
  /** Locates the MiniWoB++ pages. */
  miniwob(): Promise<LocatedMiniwob>;
  log(text: string): void;
  onEvent(event: PassedEvent): void;
}

/** A session as the server sees it: a process that can be ended whatever it does. */
export class SessionProcess {
  readonly id: string;
  /** The folder of the session: temporary files, files of its task. Removed with the session. */
  readonly folder: string;
  /** The custom task of the last reset, if any. */
  customTask: string | null = null;
  readonly #options: SessionProcessOptions;
  readonly #child: ChildProcess;
  readonly #channel: Channel;
  readonly #exit: Promise<void>;
  /** Rejects pending requests when the session ends. */
  readonly #waiting = new Set<(failure: RequestFailure) => void>();
  readonly #queue = new RequestQueue();
  #end: SessionEnd | null = null;
  #outOfMemory = false;
  /** Process ids of its running browsers. */
  readonly #browsers = new Set<number>();
  /** Whether it may be starting a browser. */
  #mayHaveBrowser: boolean;
  /** Whether it has not received a request yet. */
  #idle = true;
  /** Whether a debugger may stop it for any time. */
  #debugged = false;
  /** Number of processes that the kernel had killed for lack of memory before. */
  readonly #kernelKills = containerMemory()?.kills ?? 0;
  /** Resolves when the process reports the port of its inspector. */
  readonly #inspectorPort = Promise.withResolvers<number>();
  /** Whether a call has exceeded its time limit and may still be in progress. */
  #hasAbandonedCall = false;
  /** The function of the call in progress. */
  #calling: string | null = null;
  #whenReady = Promise.withResolvers<void>();
  #whenEnded = Promise.withResolvers<SessionEnd>();

  /** Starts a process. `ready` resolves when it can take a task. */
  static async start(options: SessionProcessOptions): Promise<SessionProcess> {
    const folder = join(options.folder.path, options.id);
    await mkdir(folder, { mode: 0o700 });
    return new SessionProcess(options, folder);
  }

  private constructor(options: SessionProcessOptions, folder: string) {
    this.id = options.id;
    this.folder = folder;
    this.#options = options;
    this.#mayHaveBrowser = !options.browserLater;
    this.#child = spawnSession(options, folder);
    // Requests report an earlier end.
    this.#whenReady.promise.catch(() => {});
    this.#exit = this.#watch();
    const stream = this.#child.stdio[CHANNEL_FD] as Duplex;
    this.#channel = new Channel({
      input: stream,
      output: stream,
      onRequest: async (method, params) => {
        if (method === unreachedRequest.method) {
          return { why: options.whyUnreached(unreachedRequest.params.parse(params).url) };
        }
        if (method === miniwobRequest.method) {
          const location = await options.miniwob();
          return 'found' in location ? { folder: location.found.folder } : { tried: [...location.tried] };
        }
        throw new RequestFailure('unknown_method', `The request ${method} is not supported.`);
      },
      onEvent: (event) => this.#onEvent(event),
      onClose: (error) => {
        // Other errors are those of a process that is ending, which reports a better reason.
        if (error instanceof RequestFailure) {
          this.end('session_died', `The session's process sent an invalid message: ${error.message}`);
        }
      },
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when the process can take a task; rejects if it has ended before. */
  get ready(): Promise<void> {
    return this.#whenReady.promise;
  }

  /** Resolves with the reason once the session has ended in any way. */
  get ended(): Promise<SessionEnd> {
    return this.#whenEnded.promise;
  }

  /**
   * Queues a request: reset, step, setup, and evaluate act on the same environment. A cancelled request does not block
   * the queue.
   */
  enqueue<M extends Method>(method: M, params: object, signal: AbortSignal, limit?: CallLimit): Promise<Results[M]> {
    return this.#queue.add(() => this.request(method, params, limit), signal);
  }

  /** Sends a request. With a limit, ends the process with `call_timeout` if it is still busy some time after that. */
  async request<M extends Method>(method: M, params: object, limit?: CallLimit): Promise<Results[M]> {
    if (this.#end !== null) throw sessionEnded();
    this.#idle = false;
    const stopGuard = this.#guard(method, limit);
    const sessionEnd = Promise.withResolvers<never>();
    this.#waiting.add(sessionEnd.reject);
    try {
      return (await Promise.race([this.#ask(method, params), sessionEnd.promise])) as Results[M];
    } catch (error) {
      // An environment that is being closed fails in many ways.
      const end = this.#end as SessionEnd | null;
      throw end === null ? error : new RequestFailure(end.code, end.message);
    } finally {
      this.#waiting.delete(sessionEnd.reject);
      stopGuard();
    }
  }

  /** Ends the session if the process does not respond. Returns a function that stops watching. */
  #guard(method: Method, limit: CallLimit | undefined): () => void {
    const guardedSession: GuardedSession = {
      isDebugged: () => this.#debugged,
      ping: () => this.#channel.request(PING, null),
      end: (code, message) => this.end(code, message),
    };
    if (limit === undefined) return guardLife(guardedSession, () => hangMessage(method, this.customTask));
    this.#calling = limit.name;
    const stop = guardTime(guardedSession, limit);
    return () => {
      this.#calling = null;
      stop();
    };
  }

  /** Opens the process or its Python process to a debugger. From then on time limits do not apply. */
  async debug<M extends 'session.inspect' | 'session.debugPython'>(method: M, params: Params<M>): Promise<Results[M]> {
    const isBusy = method === 'session.inspect' && this.#calling !== null;
    const result = isBusy ? { port: await this.#openInspector() } : await this.request(method, params);
    this.#debugged = true;
    return result as Results[M];
  }

  /** Reads from the page. Does not wait for a call in which a debugger may have stopped. */
  async query(params: Params<'session.query'>, signal: AbortSignal): Promise<Results['session.query']> {
    return await (this.#debugged
      ? this.request('session.query', params)
      : this.enqueue('session.query', params, signal));
  }

  /** Opens the inspector from outside, because the main thread of the process may be busy in a function. */
  async #openInspector(): Promise<number> {
    const { pid } = this.#child;
    if (pid === undefined || process.platform === 'win32') throw notInspected();
    process.kill(pid, 'SIGUSR1');
    const port = await withTimeout(INSPECTOR_LIMIT, this.#inspectorPort.promise);
    if (port === null) throw notInspected();
    return port;
  }

  /** Runs a setup or evaluate call. */
  async call(
    method: 'session.setup' | 'session.evaluate',
    params: Params<'session.setup'>,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const outcome = await this.enqueue(method, params, signal, { ms: params.limit_ms, name: params.call.function });
    this.#hasAbandonedCall ||= 'error' in outcome && outcome.error.code === 'call_timeout';
    return outcome;
  }

  /**
   * Checks that nothing of earlier calls can affect a snapshot. A call that exceeded its time limit may still be in progress;
   * the session is then ended, and the snapshot needs another one.
   */
  expectNoAbandonedCall(): void {
    if (!this.#hasAbandonedCall) return;
    this.end('session_closed', 'The session was closed because a call in it exceeded its time limit.');
    throw sessionEnded();
  }

  /** Ends the session immediately. The first reason counts. */
  end(code: ErrorCode, message: string): void {
    if (this.#end === null) this.#conclude(killedByKernel(code, this.#kernelKills) ?? { code, message });
    this.#kill();
  }

  /**
   * Closes the environment and cleans the folder. Returns true if nothing of the task is left and the process can take
   * another one, false if it must be closed.
   */
  async tryToReset(): Promise<boolean> {
    if (this.#end !== null || this.#idle || this.#queue.length > 0 || this.#waiting.size > 0) return false;
    // If the environment cannot be closed, the caller ends the process.
    const response = closedSchema.safeParse(await this.#closeEnvironment());
    if (!response.success || !response.data.reusable) return false;
    for (const name of await readdir(this.folder)) {
      if (!BROWSERS.test(name)) await removeTree(join(this.folder, name));
    }
    this.#queue.clear();
    return this.#end === null;
  }

  /** Closes the environment if possible, ends the process, and removes the folder. */
  async close(): Promise<void> {
    if (this.#end === null) {
      this.#end = { code: 'session_closed', message: 'The session was closed.' };
      // If the environment cannot be closed, the process is ended anyway.
      await this.#closeEnvironment();
      this.#conclude(this.#end);
    }
    await this.shutDown('session_closed', 'The session was closed.');
  }

  /** Ends the session, but lets its process end by itself, so that it also ends a browser that is just starting. */
  async shutDown(code: ErrorCode, message: string): Promise<void> {
    if (this.#end === null) this.#conclude({ code, message });
    this.#channel.close(null);
    (this.#child.stdio[CHANNEL_FD] as Duplex).end();
    if (this.#mayHaveBrowser) await withTimeout(LEAVE_GRACE, this.#exit);
    this.#kill();
    await this.#exit;
  }

  async #ask(method: Method, params: object): Promise<unknown> {
    try {
      return await this.#channel.request(method, params);
    } catch (error) {
      // If the channel has failed, the end of the process will report a better reason.
      if (error instanceof RequestFailure && error.code.startsWith('channel_')) return new Promise(() => {});
      throw error;
    }
  }

  /** Closes the environment. Resolves with the response, if there is one in time. */
  #closeEnvironment(): Promise<unknown> {
    const closing = this.#channel.request('session.close', { session: this.id }).catch(() => null);
    return withTimeout(CLOSE_GRACE, Promise.race([closing, this.#exit]));
  }

  #conclude(end: SessionEnd): void {
    this.#end = end;
    const failure = new RequestFailure(end.code, end.message);
    for (const reject of this.#waiting) reject(failure);
    this.#waiting.clear();
    this.#whenReady.reject(failure);
    this.#whenEnded.resolve(end);
  }

  #onEvent(value: unknown): void {
    const event = sessionEventSchema.parse(value);
    if (event.event === 'ready') {
      this.#mayHaveBrowser = true;
      this.#whenReady.resolve();
    } else if (event.event === 'broken') this.end(event.code, event.message);
    else if (event.event === 'browser') {
      this.#browsers.add(event.pid);
      void this.#options.folder.add(event.pid);
      this.#options.log(`${event.name} runs as process ${event.pid}`);
      if (!event.sandboxed) this.#options.onNoSandbox();
    } else if (event.event === 'browser.ended') this.#endBrowser(event.pid);
    else this.#options.onEvent(event);
  }

  /** Waits for the process to end, and removes its folder. */
  async #watch(): Promise<void> {
    const child = this.#child;
    const logLine = (level: 'info' | 'warning') => (text: string) => {
      if (INSPECTOR_OUTPUT.test(text)) {
        const port = /^Debugger listening on ws:\/\/[^/]*:(\d+)\//.exec(text)?.[1];
        if (port !== undefined) this.#inspectorPort.resolve(Number(port));
        return;
      }
      // Checked line by line: a long stack follows.
      this.#outOfMemory ||= OUT_OF_MEMORY.test(text);
      this.#options.onEvent({ event: 'log', level, text });
    };
    const streamsRead: Promise<void>[] = [];
    if (child.stdout !== null) streamsRead.push(readLines(child.stdout, logLine('info')));
    if (child.stderr !== null) streamsRead.push(readLines(child.stderr, logLine('warning')));
    const watch = child.stdio[WATCH_FD] as Duplex;
    watch.on('data', (notice: Buffer) => {
      if (notice.toString() === MEMORY_NOTICE) this.#outOfMemory = true;
    });
    // The exit of the process is handled below.
    watch.on('error', () => {});
    const { pid } = child;
    if (pid !== undefined) void this.#options.folder.add(pid);
    const exit = await new Promise<ProcessExit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', (error) => resolve({ code: null, signal: null, error }));
    });
    this.#kill();
    // Crash handlers of full Chromium leave the process group, and a starting browser is not known yet.
    if (this.#mayHaveBrowser) await killWithFolder(this.folder);
    await withTimeout(OUTPUT_GRACE, Promise.allSettled(streamsRead));
    const { code, message } = exitReason(exit, {
      calling: this.#calling,
      outOfMemory: this.#outOfMemory,
      memoryMb: this.#options.memoryMb,
    });
    this.end(code, message);
    this.#channel.close(null);
    for (const stream of child.stdio) stream?.destroy();
    if (pid !== undefined) await this.#options.folder.delete(pid);
    // The folder of the server is removed later, including what is left here.
    await removeTree(this.folder).catch(() => {});
  }

  #kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    // After its exit, its former children are no longer its descendants.
    if (pid !== undefined && exitCode === null && signalCode === null) endChildrenOf(pid);
    // Processes that a user-defined function has started may outlive it.
    if (pid !== undefined) killGroup(pid);
    // A browser ends when its pipe closes, unless it hangs.
    for (const pid of this.#browsers) this.#endBrowser(pid);
  }

  /** Helper processes of the browser may take a while to end. */
  #endBrowser(pid: number): void {
    if (!this.#browsers.delete(pid)) return;
    killGroup(pid);
    void this.#options.folder.delete(pid);
  }
}

function notInspected(): RequestFailure {
  return new RequestFailure('not_inspected', 'A debugger cannot be attached while the function is running.');
}
