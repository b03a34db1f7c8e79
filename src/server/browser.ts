import { randomBytes } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { type IncomingMessage, Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { BrowserServer } from 'playwright-core';
import { locateBrowser } from '../environments/browser/locate.ts';
import { RequestFailure } from './failure.ts';
import type { ServerFolder } from './folder.ts';
import { killGroup } from './processes.ts';

/**
 * Every picture and every tree goes through a socket between two processes of this machine, where compressing it takes
 * longer than sending it: it made a step a fifth slower. Playwright has no option for it, so the offer is taken out of
 * the request before Playwright's server, the only HTTP server of this process, reads it.
 */
function refuseCompression(): void {
  const { emit } = Server.prototype;
  Server.prototype.emit = function (event: string, ...args: readonly unknown[]): boolean {
    if (event === 'upgrade') delete (args[0] as IncomingMessage).headers['sec-websocket-extensions'];
    return Reflect.apply(emit, this, [event, ...args]);
  };
}

const LAUNCH_LIMIT = 30_000;

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A container mostly has no IPv6, not even of its own: what is at `[::1]` is at `127.0.0.1` then. */
function loopbackFlags(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return addresses.some(({ address }) => address === '::1') ? [] : ['--host-resolver-rules=MAP ::1 127.0.0.1'];
}

/** Less than this, as `docker run` gives by itself (64 MB), and large pages crash. */
const ENOUGH_SHARED_MEMORY = 128 * 1024 * 1024;

/** Whether what the browser's processes share has better be files. */
async function hasLittleSharedMemory(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const shared = await statfs('/dev/shm').catch(() => null);
  return shared === null || shared.blocks * shared.bsize < ENOUGH_SHARED_MEMORY;
}

/**
 * One running browser, shared by all sessions. It has no debugging port, and what sessions connect to is no port
 * either: a socket in the server's own folder (a named pipe on Windows), which no page can reach.
 */
export interface SharedBrowser {
  /** For `chromium.connect`. */
  readonly endpoint: string;
  readonly pid: number | undefined;
  /** Resolves when the browser has ended, however it ended. */
  readonly gone: Promise<void>;
}

/** Keeps one browser running; a new one is started for whoever asks after the last has ended. */
export class BrowserKeeper {
  readonly #folder: ServerFolder;
  readonly #log: (text: string) => void;
  #current: Promise<SharedBrowser> | null = null;
  #server: BrowserServer | null = null;
  #closed = false;
  #sandbox = process.platform !== 'linux' || process.getuid?.() !== 0;

  constructor(folder: ServerFolder, log: (text: string) => void) {
    refuseCompression();
    this.#folder = folder;
    this.#log = log;
  }

  /** The running browser, started where none runs. Rejects with `browser_missing` or `browser_failed`. */
  get(): Promise<SharedBrowser> {
    this.#current ??= this.#launch().catch((error: unknown) => {
      this.#current = null;
      throw error;
    });
    return this.#current;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#current?.catch(() => {});
    await this.#server?.kill();
  }

  async #launch(): Promise<SharedBrowser> {
    // To ask for its version would start it once more before it is started.
    const located = await locateBrowser({ version: false });
    if ('tried' in located) {
      throw new RequestFailure(
        'browser_missing',
        `No browser was found. Install Chrome, Edge or Chromium, or set TASKWRIGHT_BROWSER to a browser's program. Looked for:\n${located.tried.join('\n')}`,
      );
    }
    const { path, name } = located.found;
    const { server, endpoint } = await this.#start(path);
    const child = server.process();
    const { pid } = child;
    this.#server = server;
    if (this.#closed) await server.kill();
    if (pid !== undefined) await this.#folder.add(pid);
    this.#log(`${name} (${path}) runs as process ${pid}`);
    const gone = new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      else child.once('exit', () => resolve());
    }).then(async () => {
      this.#current = null;
      if (this.#server === server) this.#server = null;
      if (pid === undefined) return;
      // Its helpers notice by themselves, but some only after a while.
      killGroup(pid);
      await this.#folder.delete(pid);
    });
    return { endpoint, pid, gone };
  }

  async #start(executablePath: string): Promise<{ server: BrowserServer; endpoint: string }> {
    const { chromium } = await import('playwright-core');
    const socket =
      process.platform === 'win32'
        ? `\\\\.\\pipe\\taskwright-${randomBytes(16).toString('hex')}`
        : join(this.#folder.path, `b-${randomBytes(3).toString('hex')}`);
    const secret = `/${randomBytes(24).toString('base64url')}`;
    const sharedMemoryFlags = (await hasLittleSharedMemory()) ? ['--disable-dev-shm-usage'] : [];
    const launch = () =>
      chromium.launchServer({
        executablePath,
        headless: true,
        chromiumSandbox: this.#sandbox,
        args: [...FLAGS, ...loopbackFlags(), ...sharedMemoryFlags],
        // Each tab says whether it shows them.
        ignoreDefaultArgs: ['--hide-scrollbars'],
        // Handed to net.Server.listen as it is, which takes a socket's path too. A port would be open to every page:
        // Playwright's server tells whoever asks for /json the secret path.
        port: socket as unknown as number,
        wsPath: secret,
        timeout: LAUNCH_LIMIT,
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      });
    try {
      let server: BrowserServer;
      try {
        server = await launch();
      } catch (error) {
        if (!this.#sandbox || !/sandbox/i.test(String(error))) throw error;
        this.#log('The browser cannot use its sandbox on this machine: it is started without.');
        this.#sandbox = false;
        server = await launch();
      }
      return { server, endpoint: `ws+unix:${socket}:${secret}` };
    } catch (error) {
      throw new RequestFailure(
        'browser_failed',
        `The browser ${executablePath} could not be started. Set TASKWRIGHT_BROWSER to another one, or see what it says:\n${String(error)}`,
        { cause: error },
      );
    }
  }
}
