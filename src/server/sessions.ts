import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { mapAtMost } from '../base/map-at-most.ts';
import { removeTree } from '../base/remove-tree.ts';
import type { TaskFiles } from '../environments/environment.ts';
import { RequestFailure } from './failure.ts';
import type { ServerEvent } from './results.ts';
import { sessionEnded } from './session-end.ts';
import { SessionProcess, type SessionProcessOptions } from './session-process.ts';

/** Number of files to write concurrently. */
const WRITE_CONCURRENCY = 16;

export interface SessionsOptions
  extends Pick<SessionProcessOptions, 'folder' | 'memoryMb' | 'browserLater' | 'whyUnreached' | 'miniwob' | 'log'> {
  /** No process is prepared for the next session. */
  readonly alone: boolean;
  onEvent(event: ServerEvent): void;
}

/** Maximum number of consecutive tasks of a process. */
const MAX_TASKS = 100;
/** How long idle processes are kept, in ms; one stays. */
const IDLE_LIMIT = 5_000;
/** A process is prepared if none has become idle for this long, in ms. */
const IDLE_DELAY = 2_000;

/**
 * All sessions of a server: one process each, and one prepared process. A process is reused if its session closed
 * normally and ran no user-defined functions, because starting a process takes longer than many tasks.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #open = new Map<string, SessionProcess>();
  readonly #all = new Set<SessionProcess>();
  /** Sessions that have ended and are not closed yet. */
  readonly #ended = new Set<string>();
  /** The current session of a process. */
  readonly #names = new WeakMap<SessionProcess, string>();
  readonly #tasks = new WeakMap<SessionProcess, number>();
  readonly #idle: SessionProcess[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  #prepareTimer: NodeJS.Timeout | undefined;
  #prepared: Promise<SessionProcess> | null = null;
  #browserAhead: boolean;
  #withoutSandbox = false;
  #closed = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#browserAhead = !options.browserLater;
  }

  /** Prepares a process for the next session, unless there is one. */
  prepare(): void {
    if (this.#closed || this.#prepared !== null || this.#idle.length > 0) return;
    const starting = this.#start();
    this.#prepared = starting;
    starting.then(
      // If it ends before it is used, another one is started on demand.
      (session) => session.ended.then(() => this.#forget(starting)),
      () => this.#forget(starting),
    );
  }

  /** Whether to start browsers in prepared processes. Tasks are usually like the previous one. */
  expectBrowser(isExpected: boolean): void {
    this.#browserAhead = isExpected;
  }

  /** Prepares a process for the next session, if one is expected. */
  prepareNext(): void {
    if (!this.#options.alone) this.prepare();
  }

  /** Prepares a process once none has become idle for a while: in a job of short tasks the existing ones are enough. */
  prepareSoon(): void {
    if (this.#closed || this.#options.alone || this.#prepareTimer !== undefined) return;
    this.#prepareTimer = setTimeout(() => {
      this.#prepareTimer = undefined;
      this.prepare();
    }, IDLE_DELAY);
    this.#prepareTimer.unref();
  }

  /** Opens a session and returns its id. */
  async open(): Promise<string> {
    const session = this.#idle.pop() ?? (await this.#takePrepared());
    // The first session has the name of the folder.
    const id = this.#tasks.has(session) ? randomBytes(6).toString('hex') : session.id;
    this.#open.set(id, session);
    this.#names.set(session, id);
    this.#tasks.set(session, (this.#tasks.get(session) ?? 0) + 1);
    session.ended.then(({ code, message }) => {
      if (!this.#open.delete(id)) return;
      this.#ended.add(id);
      this.#options.onEvent({ event: 'session.ended', session: id, code, message });
    });
    return id;
  }

  /** Returns an open session. Throws `session_closed` if it has ended. */
  get(id: string): SessionProcess {
    const session = this.#open.get(id);
    if (session !== undefined) return session;
    if (this.#ended.has(id)) throw sessionEnded();
    throw new RequestFailure('unknown_session', `There is no session ${id}.`);
  }

  async close(id: string): Promise<void> {
    if (this.#ended.delete(id)) return;
    const session = this.get(id);
    this.#open.delete(id);
    if (await this.#keepIdle(session)) return;
    const isUsedUp = this.#isUsedUp(session);
    await session.close();
    // In a job, its other processes are enough, and the job may have ended.
    if (isUsedUp) this.prepareSoon();
    else this.prepareNext();
  }

  /** Keeps the process for another session. Returns false if it must be closed. */
  async #keepIdle(session: SessionProcess): Promise<boolean> {
    if (this.#closed || this.#isUsedUp(session) || !(await session.tryToReset())) return false;
    this.#names.delete(session);
    if (this.#closed) return false;
    this.#idle.push(session);
    clearTimeout(this.#prepareTimer);
    this.#prepareTimer = undefined;
    void session.ended.then(() => this.#removeIdle(session));
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      for (const idleSession of this.#idle.splice(this.#prepared === null ? 1 : 0)) void idleSession.close();
    }, IDLE_LIMIT);
    this.#idleTimer.unref();
    return true;
  }

  #isUsedUp(session: SessionProcess): boolean {
    return (this.#tasks.get(session) ?? 0) >= MAX_TASKS;
  }

  #removeIdle(session: SessionProcess): void {
    const at = this.#idle.indexOf(session);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  /** Ends all processes. */
  async closeAll(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#prepareTimer);
    this.#open.clear();
    const end = (session: SessionProcess) => session.shutDown('server_ended', 'The environment server has ended.');
    await Promise.all([...this.#all].map(end));
  }

  /**
   * Writes the files of a task to the folder of the session, replacing those of the previous task. A folder is used as
   * it is.
   */
  async provideFiles(session: SessionProcess, files: TaskFiles): Promise<{ folder: string }> {
    if ('folder' in files) return files;
    const folder = join(session.folder, `task-${randomBytes(3).toString('hex')}`);
    const entries = Object.entries(files.contents).map(([name, content]) => {
      const path = join(folder, name);
      if (isAbsolute(name) || !path.startsWith(folder + sep) || name.includes('\0')) {
        throw new RequestFailure(
          'bad_file_name',
          `The file name ${JSON.stringify(name)} is outside the folder of the task.`,
        );
      }
      return { path, content };
    });
    for (const name of await readdir(session.folder)) {
      if (name.startsWith('task-')) await removeTree(join(session.folder, name));
    }
    await mkdir(folder, { mode: 0o700 });
    for (const path of new Set(entries.map((entry) => dirname(entry.path)))) await mkdir(path, { recursive: true });
    await mapAtMost(WRITE_CONCURRENCY, entries, ({ path, content }) => writeFile(path, content));
    return { folder };
  }

  #forget(starting: Promise<SessionProcess>): void {
    if (this.#prepared === starting) this.#prepared = null;
  }

  async #takePrepared(): Promise<SessionProcess> {
    this.prepare();
    const starting = this.#prepared;
    this.#prepared = null;
    const session = await (starting ?? this.#start());
    await session.ready;
    return session;
  }

  async #start(): Promise<SessionProcess> {
    if (this.#closed) throw new RequestFailure('server_ended', 'The environment server has ended.');
    const session: SessionProcess = await SessionProcess.start({
      ...this.#options,
      id: randomBytes(6).toString('hex'),
      browserLater: !this.#browserAhead,
      withoutSandbox: this.#withoutSandbox,
      onNoSandbox: () => {
        this.#withoutSandbox = true;
      },
      onEvent: (event) => {
        // Events of idle processes are dropped.
        const id = this.#names.get(session);
        if (id !== undefined) this.#options.onEvent({ ...event, session: id });
      },
    });
    this.#all.add(session);
    void session.ended.then(() => session.close()).then(() => this.#all.delete(session));
    if (this.#closed) session.end('server_ended', 'The environment server has ended.');
    return session;
  }
}
