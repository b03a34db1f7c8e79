import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { asSubreaper, checkPipes, endChildrenOf } from '../environments/descendants.ts';
import type { ErrorCode } from '../environments/faults.ts';
import type { LocatedMiniwob } from '../environments/miniwob/locate.ts';
import { describeSystemError } from '../tasks/system-error.ts';
import { Channel } from './channel.ts';
import { containerMemory } from './container-memory.ts';
import { RequestFailure } from './failure.ts';
import type { ServerFolder } from './folder.ts';
import { inTime } from './in-time.ts';
import { INSPECTOR_WORDS } from './inspection.ts';
import { readLines } from './log.ts';
import { killGroup, killWithFolder } from './processes.ts';
import type { Method, Params, Results } from './protocol.ts';
import { killedByKernel, OUT_OF_MEMORY, type ProcessExit, reasonOf, type SessionEnd, whyHung } from './session-end.ts';
import {
  miniwobRequest,
  type PassedEvent,
  PING,
  restedSchema,
  sessionEventSchema,
  unreachedRequest,
} from './session-protocol.ts';
import { CHANNEL_FD, MEMORY_NOTICE, WATCH_FD } from './watch.ts';

/** How long a process may take beyond a call's time limit before it is ended, in ms: it answers by itself if it can. */
const CALL_GRACE = 1_000;
/** How long a process may take to close its environment before it is ended, in ms. */
const CLOSE_GRACE = 2_000;
/** How long a process may take to end by itself once its environment is closed, in ms. */
const LEAVE_GRACE = 500;
/** How many pings in a row, a second apart, a process may leave unanswered. */
const MISSED_PINGS = 20;
/** How long the last words of a process that has ended are waited for, in ms. */
const LAST_WORDS = 500;
/** What the browser and Playwright keep in the folder for temporary files as long as the browser runs. */
const BROWSERS = /^(?:playwright|\.?org\.chromium|\.?com\.google\.Chrome)/;

export interface SessionProcessOptions {
  readonly id: string;
  readonly folder: ServerFolder;
  /** Megabytes of JavaScript heap that a session may use. */
  readonly memoryMb: number;
  /** No browser is started before a task wants one. */
  readonly browserLater: boolean;
  /** The browser cannot use its sandbox on this machine. */
  readonly withoutSandbox: boolean;
  /** It was found that the browser cannot use its sandbox. */
  onNoSandbox(): void;
  /** Why a page could not be opened, where this server knows. */
  whyUnreached(url: string): string | null;
  /** Where the pages of MiniWoB++ are. */
  miniwob(): Promise<LocatedMiniwob>;
  log(text: string): void;
  onEvent(event: PassedEvent): void;
}

/** How long a call may take, and what it is called in messages. */
export interface CallLimit {
  readonly ms: number;
  readonly name: string;
}

/** The server's side of one session: a process of its own that can be ended whatever it does. */
export class SessionProcess {
  readonly id: string;
  /** The session's own folder: its temporary files, the files of its task. Removed with it. */
  readonly folder: string;
  /** The task in code that it was last reset with. */
  customTask: string | null = null;
  readonly #options: SessionProcessOptions;
  readonly #child: ChildProcess;
  readonly #channel: Channel;
  readonly #gone: Promise<void>;
  /** Rejects what is pending when the session ends. */
  readonly #waiting = new Set<(failure: RequestFailure) => void>();
  #queue: Promise<unknown> = Promise.resolve();
  #end: SessionEnd | null = null;
  #outOfMemory = false;
  /** How many requests wait for their turn, or have it. */
  #turns = 0;
  /** The processes of its browser that run. */
  readonly #browsers = new Set<number>();
  /** It may have begun to start a browser. */
  #mayHaveBrowser: boolean;
  /** It was asked for nothing yet. */
  #idle = true;
  /** A debugger may hold it up for as long as a person thinks. */
  #debugged = false;
  /** How often the kernel had killed for lack of memory before. */
  readonly #kernelKills = containerMemory()?.kills ?? 0;
  /** The function whose call is under way. */
  #calling: string | null = null;
  #whenReady = Promise.withResolvers<void>();
  #whenEnded = Promise.withResolvers<SessionEnd>();

  /** Starts a process; `ready` tells when it can take a task. */
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
    const program = process.argv[1] ?? '';
    const { program: command, args } = asSubreaper(process.execPath, [
      `--max-old-space-size=${options.memoryMb}`,
      // As large as V8 lets it grow by itself: what Playwright loads and pictures leave is not copied again and again.
      '--min-semi-space-size=16',
      program,
      'session',
      ...['--memory', String(options.memoryMb)],
      ...(options.browserLater ? ['--browser-later'] : []),
      ...(options.withoutSandbox ? ['--without-sandbox'] : []),
    ]);
    this.#child = spawn(command, args, {
      cwd: folder,
      env: {
        ...process.env,
        ...(process.versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' }),
        TMPDIR: folder,
        TMP: folder,
        TEMP: folder,
        // Where full Chromium keeps reports of crashes, which name this folder to its crash handlers.
        BREAKPAD_DUMP_LOCATION: folder,
      },
      // A group of its own: what a person's function starts is ended with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    });
    try {
      checkPipes(this.#child);
    } catch (error) {
      const message = `The session's process could not be started: ${describeSystemError(error)}.`;
      throw new RequestFailure('session_died', message, { cause: error });
    }
    // An end before that is told to whoever asks it for something.
    this.#whenReady.promise.catch(() => {});
    this.#gone = this.#watch();
    const stream = this.#child.stdio[CHANNEL_FD] as Duplex;
    this.#channel = new Channel({
      input: stream,
      output: stream,
      onRequest: async (method, params) => {
        if (method === unreachedRequest.method) {
          return { why: options.whyUnreached(unreachedRequest.params.parse(params).url) };
        }
        if (method === miniwobRequest.method) {
          const located = await options.miniwob();
          return 'found' in located ? { folder: located.found.folder } : { tried: [...located.tried] };
        }
        throw new RequestFailure('unknown_method', `Nobody answers ${method}.`);
      },
      onEvent: (event) => this.#hear(event),
      onClose: (error) => {
        // Anything else is the pipe of a process that is ending, which says more than the pipe.
        if (error instanceof RequestFailure) {
          this.end('session_died', `The session's process cannot be understood: ${error.message}`);
        }
      },
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when the process can take a task; rejects where it ended before that. */
  get ready(): Promise<void> {
    return this.#whenReady.promise;
  }

  /** Resolves with the reason once the session has ended, however it ended. */
  get ended(): Promise<SessionEnd> {
    return this.#whenEnded.promise;
  }

  /** One after the other: reset, step, setup and evaluate act on the same environment. A cancelled one is not waited for. */
  inTurn<M extends Method>(method: M, params: object, signal: AbortSignal, limit?: CallLimit): Promise<Results[M]> {
    this.#turns += 1;
    const turn = this.#queue
      .then(() => {
        signal.throwIfAborted();
        return this.request(method, params, limit);
      })
      .finally(() => {
        this.#turns -= 1;
      });
    const cancelled = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    // Whoever waits for the turn is told how it failed; the next one only waits for its end.
    this.#queue = Promise.race([turn.catch(() => {}), cancelled]);
    return turn;
  }

  /** Asks the process. With a limit it is ended with `call_timeout` when it is still busy some time after that. */
  async request<M extends Method>(method: M, params: object, limit?: CallLimit): Promise<Results[M]> {
    if (this.#end !== null) throw new RequestFailure(this.#end.code, this.#end.message);
    this.#idle = false;
    const guard = limit === undefined ? this.#guardLife(method) : this.#guardTime(limit);
    const ended = Promise.withResolvers<never>();
    this.#waiting.add(ended.reject);
    try {
      return (await Promise.race([this.#ask(method, params), ended.promise])) as Results[M];
    } finally {
      this.#waiting.delete(ended.reject);
      guard();
    }
  }

  /** Opens the process, or its Python, to a debugger. From here on nothing it does is waited for in vain. */
  async debug<M extends 'session.inspect' | 'session.debugPython'>(method: M, params: Params<M>): Promise<Results[M]> {
    const opened = await this.request(method, params);
    this.#debugged = true;
    return opened;
  }

  /** Ends the session now, for this reason; the first reason counts. */
  end(code: ErrorCode, message: string): void {
    if (this.#end === null) {
      this.#end = killedByKernel(code, this.#kernelKills) ?? { code, message };
      this.#tellEnd(this.#end);
    }
    this.#kill();
  }

  /**
   * Closes the environment and clears the folder. True: nothing of the task is left, and the process may take another
   * one. False: it is to be closed.
   */
  async rest(): Promise<boolean> {
    if (this.#end !== null || this.#idle || this.#turns > 0 || this.#waiting.size > 0) return false;
    // One that cannot close its environment is ended by whoever closes it.
    const closing = this.#channel.request('session.close', { session: this.id }).catch(() => null);
    const closed = restedSchema.safeParse(await inTime(CLOSE_GRACE, Promise.race([closing, this.#gone])));
    if (!closed.success || !closed.data.reusable) return false;
    for (const name of await readdir(this.folder)) {
      if (!BROWSERS.test(name)) await rm(join(this.folder, name), { recursive: true, force: true });
    }
    this.#queue = Promise.resolve();
    return this.#end === null;
  }

  /** Closes the environment in good order where that is possible, ends the process, removes the folder. */
  async close(): Promise<void> {
    if (this.#end === null) {
      this.#end = { code: 'session_closed', message: 'The session was closed.' };
      // One that cannot close its environment is ended all the same.
      const closing = this.#channel.request('session.close', { session: this.id }).catch(() => {});
      await inTime(CLOSE_GRACE, Promise.race([closing, this.#gone]));
      this.#tellEnd(this.#end);
    }
    await this.leave('session_closed', 'The session was closed.');
  }

  /** Ends the session for this reason, and lets its process end by itself: it takes along a browser that is just starting. */
  async leave(code: ErrorCode, message: string): Promise<void> {
    if (this.#end === null) {
      this.#end = { code, message };
      this.#tellEnd(this.#end);
    }
    this.#channel.close(null);
    (this.#child.stdio[CHANNEL_FD] as Duplex).end();
    if (this.#mayHaveBrowser) await inTime(LEAVE_GRACE, this.#gone);
    this.#kill();
    await this.#gone;
  }

  async #ask(method: Method, params: object): Promise<unknown> {
    try {
      return await this.#channel.request(method, params);
    } catch (error) {
      // Where the channel broke, the reason for it is about to be known and is the better answer.
      if (error instanceof RequestFailure && error.code.startsWith('channel_')) return new Promise(() => {});
      throw error;
    }
  }

  #tellEnd(end: SessionEnd): void {
    const failure = new RequestFailure(end.code, end.message);
    for (const reject of this.#waiting) reject(failure);
    this.#waiting.clear();
    this.#whenReady.reject(failure);
    this.#whenEnded.resolve(end);
  }

  #guardTime({ ms, name }: CallLimit): () => void {
    this.#calling = name;
    const timer = setTimeout(
      () =>
        this.#debugged ||
        this.end(
          'call_timeout',
          `${name} did not return within ${ms / 1000} s and could not be interrupted, so its session was ended. Does it run in an endless loop?`,
        ),
      ms + CALL_GRACE,
    );
    return () => {
      this.#calling = null;
      clearTimeout(timer);
    };
  }

  #guardLife(method: Method): () => void {
    let missed = 0;
    const timer = setInterval(() => {
      if (this.#debugged) return;
      missed++;
      if (missed > MISSED_PINGS) {
        this.end('session_hung', whyHung(method, this.customTask));
        return;
      }
      this.#channel.request(PING, null).then(
        () => {
          missed = 0;
        },
        () => {},
      );
    }, 1_000);
    return () => clearInterval(timer);
  }

  #hear(value: unknown): void {
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

  /** Follows the process to its end. Resolves when it has gone and its folder is removed. */
  async #watch(): Promise<void> {
    const child = this.#child;
    const say = (level: 'info' | 'warning') => (text: string) => {
      if (INSPECTOR_WORDS.test(text)) return;
      // A long stack follows it.
      this.#outOfMemory ||= OUT_OF_MEMORY.test(text);
      this.#options.onEvent({ event: 'log', level, text });
    };
    const words: Promise<void>[] = [];
    if (child.stdout !== null) words.push(readLines(child.stdout, say('info')));
    if (child.stderr !== null) words.push(readLines(child.stderr, say('warning')));
    const watch = child.stdio[WATCH_FD] as Duplex;
    watch.on('data', (notice: Buffer) => {
      if (notice.toString() === MEMORY_NOTICE) this.#outOfMemory = true;
    });
    // That the process has gone is told by its end.
    watch.on('error', () => {});
    const { pid } = child;
    if (pid !== undefined) void this.#options.folder.add(pid);
    const exit = await new Promise<ProcessExit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', (error) => resolve({ code: null, signal: null, error }));
    });
    this.#kill();
    // Crash handlers of full Chromium leave its process group, and a browser that is just starting is not known yet.
    if (this.#mayHaveBrowser) await killWithFolder(this.folder);
    await inTime(LAST_WORDS, Promise.allSettled(words));
    const { code, message } = reasonOf(exit, {
      calling: this.#calling,
      outOfMemory: this.#outOfMemory,
      memoryMb: this.#options.memoryMb,
    });
    this.end(code, message);
    this.#channel.close(null);
    for (const stream of child.stdio) stream?.destroy();
    if (pid !== undefined) await this.#options.folder.delete(pid);
    // What is left is cleared with the server's own folder.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => {});
  }

  #kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    // Once it has gone, what was left to it is nobody's.
    if (pid !== undefined && exitCode === null && signalCode === null) endChildrenOf(pid);
    // Its group outlives it where a person's function started something.
    if (pid !== undefined) killGroup(pid);
    // It ends by itself when its pipe closes, unless it hangs.
    for (const pid of this.#browsers) this.#endBrowser(pid);
  }

  /** Its helpers notice its end by themselves, but some only after a while. */
  #endBrowser(pid: number): void {
    if (!this.#browsers.delete(pid)) return;
    killGroup(pid);
    void this.#options.folder.delete(pid);
  }
}
