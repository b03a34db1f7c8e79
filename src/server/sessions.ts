import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import type { TaskFiles } from '../environments/environment.ts';
import type { BrowserKeeper, SharedBrowser } from './browser.ts';
import { RequestFailure } from './failure.ts';
import type { ServerFolder } from './folder.ts';
import type { ServerEvent } from './protocol.ts';
import { SessionProcess } from './session-process.ts';
import { BROWSER_CRASHED } from './session-protocol.ts';

/** So many files are written at once. */
const WRITTEN_AT_ONCE = 16;

export interface SessionsOptions {
  readonly folder: ServerFolder;
  readonly browser: BrowserKeeper;
  readonly memoryMb: number;
  whyUnreached(url: string): string | null;
  onEvent(event: ServerEvent): void;
}

/** All sessions of a server: one process each, and one more that is ready before it is asked for. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #open = new Map<string, SessionProcess>();
  readonly #all = new Set<SessionProcess>();
  /** How sessions ended that nobody has closed yet. */
  readonly #ended = new Map<string, { code: string; message: string }>();
  readonly #users = new WeakMap<SharedBrowser, Set<SessionProcess>>();
  #spare: Promise<SessionProcess> | null = null;
  #closed = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Starts the process for the next session, where there is none yet. */
  prepare(): void {
    if (this.#closed || this.#spare !== null) return;
    const starting = this.#start();
    this.#spare = starting;
    starting.then(
      // One that dies before it is used is not kept, and not started again until somebody asks.
      (session) => session.ended.then(() => this.#forget(starting)),
      () => this.#forget(starting),
    );
  }

  async open(): Promise<SessionProcess> {
    this.prepare();
    const session = await this.#takeSpare();
    this.#open.set(session.id, session);
    session.ended.then(({ code, message }) => {
      if (!this.#open.delete(session.id)) return;
      this.#ended.set(session.id, { code, message });
      this.#options.onEvent({ event: 'session.ended', session: session.id, code, message });
    });
    return session;
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
    await session.close();
    this.prepare();
  }

  /** Ends everything at once. */
  async closeAll(): Promise<void> {
    this.#closed = true;
    const all = [...this.#all];
    this.#open.clear();
    for (const session of all) session.end('server_ended', 'The environment server has ended.');
    await Promise.all(all.map((session) => session.close()));
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

  /** The end of the browser is the end of every session that works with it. */
  #uses(session: SessionProcess, browser: SharedBrowser): void {
    let users = this.#users.get(browser);
    if (users === undefined) {
      users = new Set();
      this.#users.set(browser, users);
      const watched = users;
      void browser.gone.then(() => {
        for (const user of watched) user.end('browser_crashed', BROWSER_CRASHED);
      });
    }
    if (users.has(session)) return;
    const joined = users;
    joined.add(session);
    void session.ended.then(() => joined.delete(session));
  }

  #forget(starting: Promise<SessionProcess>): void {
    if (this.#spare === starting) this.#spare = null;
  }

  async #takeSpare(): Promise<SessionProcess> {
    const spare = this.#spare;
    this.#spare = null;
    const session = await (spare ?? this.#start());
    await session.ready;
    return session;
  }

  async #start(): Promise<SessionProcess> {
    if (this.#closed) throw new RequestFailure('server_ended', 'The environment server has ended.');
    const id = randomBytes(6).toString('hex');
    const session: SessionProcess = await SessionProcess.start({
      id,
      folder: this.#options.folder,
      memoryMb: this.#options.memoryMb,
      browser: async (use) => {
        const browser = await this.#options.browser.get();
        if (use) this.#uses(session, browser);
        return browser.endpoint;
      },
      whyUnreached: (url) => this.#options.whyUnreached(url),
      onEvent: (event) => {
        if (event.event === 'frame') this.#options.onEvent({ event: 'frame', session: id, picture: event.picture });
        if (event.event === 'functions') {
          this.#options.onEvent({ event: 'functions', session: id, schemas: event.schemas });
        }
        if (event.event === 'log') {
          this.#options.onEvent({ event: 'log', session: id, level: event.level, text: event.text });
        }
      },
    });
    this.#all.add(session);
    void session.ended.then(() => session.close()).then(() => this.#all.delete(session));
    if (this.#closed) session.end('server_ended', 'The environment server has ended.');
    return session;
  }
}
