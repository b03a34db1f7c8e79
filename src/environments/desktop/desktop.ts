import { copyFile, mkdir, mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { nullIfNotFound } from '../../base/file-kind.ts';
import { patient } from '../../base/patience.ts';
import { removeTree } from '../../base/remove-tree.ts';
import { describeSystemError } from '../../base/system-error.ts';
import type { CommandResult, Desktop } from '../../functions/declaration.ts';
import { Guard } from '../../processes/guard.ts';
import { EnvironmentError, type PageMessage } from '../environment.ts';
import { ROLE_TEXTS } from '../known-file.ts';
import type { Withheld } from '../withheld.ts';
import { roleOfFile } from '../withheld-entries.ts';
import { pathWithin, readWithin } from '../workspace/folder.ts';
import { handOver } from '../workspace/hand-over.ts';
import type { Launcher } from '../workspace/launcher.ts';
import { createLauncher, FolderWorkspace } from '../workspace/workspace.ts';
import { readClipboard } from './clipboard.ts';
import { Connection } from './connection.ts';
import { Keyboard } from './keyboard.ts';
import { openPing, type Ping } from './ping.ts';
import { Pointer } from './pointer.ts';
import { missingPrograms, withoutPrograms } from './programs.ts';
import { Screen } from './screen.ts';
import type { UsedDesktop } from './used-desktop.ts';
import { variablesOf, writeHomeConfiguration } from './variables.ts';
import { WindowManager } from './window-manager.ts';
import { activate, type OpenWindow, openWindows } from './windows.ts';
import { lastOutput, startXServer, type XServer } from './x-server.ts';

/** The time limit for a program's first window, and for activating a window, in ms. */
const WINDOW_LIMIT = patient(10_000);
/** The interval of checks for a window in ms. */
const POLL_INTERVAL = 20;
/** A program's first window counts as drawn after no change for `quiet` ms, or after `most` ms. */
const FIRST_WINDOW_PACE = { first: 80, quiet: 80, most: 1500 };

/** Runs a program with its standard error as output. */
const ERRORS_ONLY = 'exec "$@" 2>&1 >/dev/null </dev/null';
/** The exit code of a shell that does not find a program. */
const NOT_FOUND = 127;

interface Parts {
  readonly root: string;
  readonly home: string;
  readonly server: XServer;
  readonly manager: WindowManager;
  readonly connection: Connection;
  readonly screen: Screen;
  readonly keyboard: Keyboard;
  readonly ping: Ping;
  /** The environment variables of programs. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts the window manager and the programs. */
  readonly launcher: Launcher;
  /** Ends the X server if this process is killed. */
  readonly guard: Guard;
}

/** The folder that files are copied from, and its withheld files. */
interface DesktopFiles {
  readonly folder: string;
  readonly withheld: Withheld;
}

/** A running desktop: its X server, its window manager, and its programs. */
export class RunningDesktop implements Desktop, UsedDesktop {
  readonly connection: Connection;
  readonly keyboard: Keyboard;
  readonly pointer: Pointer;
  readonly screen: Screen;
  readonly workspace: FolderWorkspace;
  /** Rejects with `EnvironmentError` when the X server has ended; never resolves. */
  readonly broken: Promise<never>;
  /** The errors of programs that failed since the last step. */
  readonly messages: PageMessage[] = [];
  readonly #parts: Parts;
  readonly #files: DesktopFiles;
  #closing = false;

  /**
   * Starts a desktop with an empty home in this session's folder. `files`: where files are copied from. Rejects with
   * `EnvironmentError` `desktop_missing` or `desktop_failed` after ending everything it started.
   */
  static async start(files: DesktopFiles): Promise<RunningDesktop> {
    const missing = await missingPrograms();
    if (missing.length > 0) throw new EnvironmentError('desktop_missing', withoutPrograms(missing));
    const root = await mkdtemp(join(tmpdir(), 'desktop-'));
    const guard = new Guard('TASKWRIGHT_WORKSPACE');
    const launcher = createLauncher();
    let server: XServer | undefined;
    try {
      // The files that the agent's user gets.
      const userFiles = join(root, 'shared');
      await mkdir(join(userFiles, 'home'), { recursive: true });
      const { windowManager, programs } = await writeHomeConfiguration(join(userFiles, 'home'), userFiles);
      server = await startXServer(root, { ...variablesOf(join(userFiles, 'home')), ...guard.mark });
      await copyFile(server.authority, join(userFiles, 'authority'));
      const place = await handOver(userFiles, launcher);
      const home = join(place, 'home');
      const variables = variablesOf(home);
      const environment = {
        ...variables,
        PATH: `${join(place, relative(userFiles, programs))}${delimiter}${variables['PATH'] ?? ''}`,
        DISPLAY: server.display,
        XAUTHORITY: join(place, 'authority'),
      };
      const settings = join(place, relative(userFiles, windowManager));
      const manager = new WindowManager(() => {
        const child = launcher.start('jwm', ['-f', settings], { env: environment, cwd: home });
        child.input.end();
        child.output.resume();
        return child;
      });
      const connection = await Connection.open(server.display, server.authority);
      const screen = new Screen(connection);
      const ping = await openPing(connection);
      const [keyboard] = await Promise.all([
        Keyboard.open(connection, screen, ping),
        manager.waitUntilReady(connection),
      ]);
      return new RunningDesktop(
        { root, home, server, manager, connection, screen, keyboard, ping, environment, launcher, guard },
        files,
      );
    } catch (error) {
      await server?.close();
      await launcher.close();
      await guard.close();
      await removeTree(root);
      const message = `the desktop could not start: ${describeSystemError(error)}`;
      throw new EnvironmentError('desktop_failed', message, { cause: error });
    }
  }

  private constructor(parts: Parts, files: DesktopFiles) {
    this.#parts = parts;
    this.#files = files;
    this.connection = parts.connection;
    this.keyboard = parts.keyboard;
    this.pointer = new Pointer(parts.connection, () => parts.screen.pointerChanged());
    this.screen = parts.screen;
    this.workspace = new FolderWorkspace(parts.home, parts.launcher, parts.environment);
    this.broken = new Promise<never>((_, reject) => {
      void parts.server.exit.then((output) => {
        if (this.#closing) return;
        const detail = output === '' ? '' : ` Last output: ${output}`;
        const message = `The X server of the desktop has ended. Run the task again to start a new one.${detail}`;
        reject(new EnvironmentError('desktop_crashed', message));
      });
    });
    // If it breaks while no request is pending, the next request fails.
    this.broken.catch(() => undefined);
    void parts.manager.keepRunning(parts.connection, () => {
      if (this.messages.length > 0) return;
      this.messages.push({ kind: 'error', text: 'The window manager ended and was restarted.' });
    });
  }

  get size(): { readonly width: number; readonly height: number } {
    return this.connection;
  }

  async settle(since: number): Promise<void> {
    await this.#parts.ping();
    await this.screen.settle(since, undefined, performance.now());
  }

  windows(): Promise<readonly OpenWindow[]> {
    return openWindows(this.connection);
  }

  clipboard(): Promise<string | null> {
    return readClipboard(this.connection);
  }

  async launch(command: string | readonly string[]): Promise<void> {
    const [program, ...args] = typeof command === 'string' ? ['sh', '-c', command] : command;
    if (program === undefined) throw new Error('a program is needed');
    const before = new Set((await this.windows()).map(({ id }) => id));
    const child = this.#parts.launcher.start('sh', ['-c', ERRORS_ONLY, 'sh', program, ...args], {
      cwd: this.#parts.home,
      env: this.#parts.environment,
    });
    child.input.end();
    child.unref();
    const name = typeof command === 'string' ? command : program;
    const errors = lastOutput(child.output);
    let failure: string | null = null;
    let hasEnded = false;
    void child.exit.then(
      ({ code, signal }) => {
        hasEnded = true;
        if (code === 0 || this.#closing) return;
        if (code === NOT_FOUND && typeof command !== 'string') {
          failure = `this desktop has no program “${program}”`;
          return;
        }
        const how = signal === null ? `exited with code ${code}` : `was terminated by ${signal}`;
        failure = `“${name}” ${how}${errors() === '' ? '' : `: ${errors()}`}`;
        this.messages.push({ kind: 'error', text: failure });
      },
      (error: Error) => {
        hasEnded = true;
        failure = error.message;
      },
    );
    const deadline = performance.now() + WINDOW_LIMIT;
    while (performance.now() < deadline) {
      if ((await this.windows()).some(({ id }) => !before.has(id))) {
        await this.screen.settle(performance.now(), FIRST_WINDOW_PACE);
        return;
      }
      if (failure !== null) throw new Error(failure);
      if (hasEnded) return;
      await pause(POLL_INTERVAL);
    }
  }

  async run(words: readonly string[], options: { readonly timeout: number }): Promise<CommandResult> {
    const result = await this.workspace.runProgram(words, options);
    if (result.exitCode === NOT_FOUND) throw new Error(`this desktop has no program “${words[0]}”`);
    return result;
  }

  async open(what: string): Promise<void> {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(what)) return this.launch(['chromium', what]);
    const path = await pathWithin(this.#parts.home, what);
    const stats = await stat(path).catch(nullIfNotFound);
    if (stats === null)
      throw new Error(`the file “${what}” does not exist in the home folder of the desktop; copy it with upload_file`);
    if (stats.isDirectory()) return this.launch(['pcmanfm', path]);
    return this.launch([/\.(?:html?|svg|png|jpe?g|gif|webp|pdf)$/i.test(path) ? 'chromium' : 'l3afpad', path]);
  }

  async activate(title: string): Promise<void> {
    const lowerTitle = title.toLowerCase();
    const deadline = performance.now() + WINDOW_LIMIT;
    for (;;) {
      const windows = await this.windows();
      const window = windows.find((one) => `${one.title}\n${one.app}`.toLowerCase().includes(lowerTitle));
      if (window?.active === true && windows[0] === window) return;
      if (window !== undefined) await activate(this.connection, window.id);
      if (performance.now() > deadline) {
        const titles = windows.map((one) => JSON.stringify(one.title)).join(', ');
        throw new Error(
          window === undefined
            ? `no window has “${title}” in its title; ${titles === '' ? 'none is open' : `there are ${titles}`}`
            : `the window ${JSON.stringify(window.title)} could not be activated`,
        );
      }
      await pause(POLL_INTERVAL);
    }
  }

  async copyIn(file: string, path: string): Promise<void> {
    const role = roleOfFile(await pathWithin(this.#files.folder, file), this.#files.withheld);
    if (role !== null) throw new Error(`“${file}” is ${ROLE_TEXTS[role]}, which no agent gets`);
    const content = await readWithin(this.#files.folder, file);
    if (content === null) throw new Error(`the file “${file}” does not exist next to the task`);
    await this.workspace.write(path, content);
  }

  /** Ends all of it and removes its home. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const { server, manager, guard, root } = this.#parts;
    manager.close();
    this.screen.close();
    this.connection.close();
    await Promise.all([server.close(), this.workspace.close()]);
    await guard.close();
    await removeTree(root);
  }
}
