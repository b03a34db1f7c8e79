import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import type { TaskFiles } from '../environments/environment.ts';
import type { ErrorCode } from '../environments/faults.ts';
import type { LocatedMiniwob } from '../environments/miniwob/locate.ts';
import { RequestFailure } from './failure.ts';
import type { ServerFolder } from './folder.ts';
import type { ServerEvent } from './protocol.ts';
import { SessionProcess } from './session-process.ts';

/** So many files are written at once. */
const WRITTEN_AT_ONCE = 16;

export interface SessionsOptions {
  readonly folder: ServerFolder;
  /** No browser is started ahead of the first task. */
  readonly browserLater: boolean;
  /** There is one session at a time: no process is started for the next one before it is asked for. */
  readonly alone: boolean;
  readonly memoryMb: number;
  whyUnreached(url: string): string | null;
  miniwob(): Promise<LocatedMiniwob>;
  log(text: string): void;
  onEvent(event: ServerEvent): void;
}

/** So many tasks one after the other may have the same process. */
const MOST_TASKS = 100;
/** How long processes rest that nobody wants, in ms; one stays ready. */
const REST_LIMIT = 5_000;
/** How long no process has come to rest before another one is started ahead, in ms. */
const NONE_RESTED = 2_000;

/**
 * All sessions of a server: one process each, and one more that is ready before it is asked for. A process whose session
 * was closed in good order, with nothing of a person's run in it, takes another one: to start a process costs more than
 * many a task.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #open = new Map<string, SessionProcess>();
  readonly #all = new Set<SessionProcess>();
  /** How sessions ended that nobody has closed yet. */
  readonly #ended = new Map<string, { code: ErrorCode; message: string }>();
  /** The session that a process has now. */
  readonly #names = new WeakMap<SessionProcess, string>();
  readonly #tasks = new WeakMap<SessionProcess, number>();
  readonly #resting: SessionProcess[] = [];
  #resters: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #spare: Promise<SessionProcess> | null = null;
  #browserAhead: boolean;
  #withoutSandbox = false;
  #closed = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#browserAhead = !options.browserLater;
  }

  /** Starts the process for the next session, where there is none yet. */
  prepare(): void {
    if (this.#closed || this.#spare !== null || this.#resting.length > 0) return;
    const starting = this.#start();
    this.#spare = starting;
    starting.then(
      // One that dies before it is used is not kept, and not started again until somebody asks.
      (session) => session.ended.then(() => this.#forget(starting)),
      () => this.#forget(starting),
    );
  }

  /** The next task is mostly one like the last: whether sessions start a browser ahead of it from now on. */
  expectBrowser(wanted: boolean): void {
    this.#browserAhead = wanted;
  }

  /** As `prepare`, where another session is to be expected. */
  prepareNext(): void {
    if (!this.#options.alone) this.prepare();
  }

  /**
   * As `prepareNext`, but only once none has come to rest for a while: in a job of short tasks those that there are take
   * one after the other, and one more would only use the machine.
   */
  prepareSoon(): void {
    if (this.#closed || this.#options.alone || this.#soon !== undefined) return;
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      this.prepare();
    }, NONE_RESTED);
    this.#soon.unref();
  }

  /** Opens a session and gives its name. */
  async open(): Promise<string> {
    const session = this.#resting.pop() ?? (await this.#takeSpare());
    // The first one is called as the process's folder.
    const id = this.#tasks.has(session) ? randomBytes(6).toString('hex') : session.id;
    this.#open.set(id, session);
    this.#names.set(session, id);
    this.#tasks.set(session, (this.#tasks.get(session) ?? 0) + 1);
    session.ended.then(({ code, message }) => {
      if (!this.#open.delete(id)) return;
      this.#ended.set(id, { code, message });
      this.#options.onEvent({ event: 'session.ended', session: id, code, message });
    });
    return id;
  }

  /** The open session of that name. Throws with the reason where it has ended. */
  get(id: string): SessionProcess {
    const session = this.#open.get(id);
    if (session !== undefined) return session;
    const end = this.#ended.get(id);
    if (end !== undefined) throw new RequestFailure(end.code, end.message);
    throw new RequestFailure('unknown_session', `There is no session ${id}.`);
  }

  async close(id: string): Promise<void> {
    if (this.#ended.delete(id)) return;
    const session = this.get(id);
    this.#open.delete(id);
    if (await this.#rest(session)) return;
    await session.close();
    this.prepareNext();
  }

  /** Keeps a process for the next session. False where it is to be closed instead. */
  async #rest(session: SessionProcess): Promise<boolean> {
    if (this.#closed || (this.#tasks.get(session) ?? 0) >= MOST_TASKS || !(await session.rest())) return false;
    this.#names.delete(session);
    if (this.#closed) return false;
    this.#resting.push(session);
    clearTimeout(this.#soon);
    this.#soon = undefined;
    void session.ended.then(() => this.#wake(session));
    clearTimeout(this.#resters);
    this.#resters = setTimeout(() => {
      for (const one of this.#resting.splice(this.#spare === null ? 1 : 0)) void one.close();
    }, REST_LIMIT);
    this.#resters.unref();
    return true;
  }

  #wake(session: SessionProcess): void {
    const at = this.#resting.indexOf(session);
    if (at >= 0) this.#resting.splice(at, 1);
  }

  /** Ends everything at once. */
  async closeAll(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#resters);
    clearTimeout(this.#soon);
    const all = [...this.#all];
    this.#open.clear();
    await Promise.all(all.map((session) => session.leave('server_ended', 'The environment server has ended.')));
  }

  /**
   * Puts files that were handed over where the session can read them, in place of those of the task before; a folder
   * that is told of is taken as it is.
   */
  async placeFiles(session: SessionProcess, files: TaskFiles): Promise<{ folder: string }> {
    if ('folder' in files) return files;
    const folder = join(session.folder, `task-${randomBytes(3).toString('hex')}`);
    const entries = Object.entries(files.contents).map(([name, content]) => {
      const path = join(folder, name);
      if (isAbsolute(name) || !path.startsWith(folder + sep) || name.includes('\0')) {
        throw new RequestFailure(
          'bad_file_name',
          `The file name ${JSON.stringify(name)} leads out of the task's folder.`,
        );
      }
      return { path, content };
    });
    for (const name of await readdir(session.folder)) {
      if (name.startsWith('task-')) await rm(join(session.folder, name), { recursive: true, force: true });
    }
    await mkdir(folder, { mode: 0o700 });
    for (const path of new Set(entries.map((entry) => dirname(entry.path)))) await mkdir(path, { recursive: true });
    const rest = entries.values();
    const write = async (): Promise<void> => {
      for (const { path, content } of rest) await writeFile(path, content);
    };
    await Promise.all(Array.from({ length: WRITTEN_AT_ONCE }, write));
    return { folder };
  }

  #forget(starting: Promise<SessionProcess>): void {
    if (this.#spare === starting) this.#spare = null;
  }

  async #takeSpare(): Promise<SessionProcess> {
    this.prepare();
    const spare = this.#spare;
    this.#spare = null;
    const session = await (spare ?? this.#start());
    await session.ready;
    return session;
  }

  async #start(): Promise<SessionProcess> {
    if (this.#closed) throw new RequestFailure('server_ended', 'The environment server has ended.');
    const session: SessionProcess = await SessionProcess.start({
      id: randomBytes(6).toString('hex'),
      folder: this.#options.folder,
      memoryMb: this.#options.memoryMb,
      browserLater: !this.#browserAhead,
      withoutSandbox: this.#withoutSandbox,
      onNoSandbox: () => {
        this.#withoutSandbox = true;
      },
      log: this.#options.log,
      whyUnreached: (url) => this.#options.whyUnreached(url),
      miniwob: () => this.#options.miniwob(),
      onEvent: (event) => {
        // Of a process that has no session nobody wants to hear.
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
