import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { basename, delimiter } from 'node:path';
import { checkPipes } from '../../environments/descendants.ts';
import { Reaper } from '../../environments/workspace/reaper.ts';
import { locatePython } from '../../functions/user/python/locate.ts';
import { readLines } from '../../server/log.ts';
import { killGroup } from '../../server/processes.ts';
import { withTimeout } from '../../server/timeout.ts';
import { describeSystemError } from '../../tasks/system-error.ts';
import { ServerError, type Usage } from '../placement.ts';
import { untilHealthy } from './health.ts';
import { readManifest } from './manifest.ts';
import type { StartedServer } from './shared-servers.ts';

/** Log lines to store, and how many of them an error message includes. */
const MAX_LINES = 500;
const LAST_LINES = 20;
/** How long a server may take to end by itself, in ms. */
const END_LIMIT = 2_000;
/** How long to wait for the remaining output of a server that has ended, in ms. */
const OUTPUT_GRACE = 500;

export interface FolderServerOptions {
  /** Absolute path of the folder with `openenv.yaml`. */
  readonly folder: string;
  /** Absolute path of the interpreter; null for the one that belongs to the folder. */
  readonly python: string | null;
  log(text: string): void;
}

/**
 * Starts the server of the environment in a folder on a free port of the loopback interface, and waits until it is ready.
 * It ends with this process, however that ends. Rejects with `ServerError`.
 */
export async function startFolderServer({ folder, python, log }: FolderServerOptions): Promise<StartedServer> {
  const { name, app } = await readManifest(folder);
  const program = python ?? (await locatePython(folder).catch(noPython));
  const port = await freePort();
  const args = ['-m', 'uvicorn', app, '--host', '127.0.0.1', '--port', String(port), '--no-access-log'];
  const server = new FolderServer(name || basename(folder), { program, args, folder, port, log });
  try {
    await untilHealthy(server.address, server.exited);
    return server;
  } catch (error) {
    await server.stop();
    throw new ServerError('start_failed', server.failure(error as Error), { cause: error });
  }
}

class FolderServer implements StartedServer {
  readonly address: string;
  readonly logLines: string[] = [];
  readonly exited: Promise<string>;
  running = true;
  readonly #name: string;
  readonly #child: ChildProcess;
  /** Ends the server and what it started, even if this process is killed. */
  readonly #reaper = new Reaper(randomUUID());
  readonly #output: Promise<unknown>;
  readonly #command: string;

  constructor(
    name: string,
    {
      program,
      args,
      folder,
      port,
      log,
    }: { program: string; args: readonly string[]; folder: string; port: number; log(text: string): void },
  ) {
    this.#name = name;
    this.address = `http://127.0.0.1:${port}`;
    this.#command = [program, ...args].join(' ');
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...pythonEnvironment(folder), ...this.#reaper.mark },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    checkPipes(child);
    this.#child = child;
    if (child.pid !== undefined) this.#reaper.guard(child.pid);
    const keep = (text: string): void => {
      this.logLines.push(text);
      if (this.logLines.length > MAX_LINES) this.logLines.shift();
      log(`[${name}] ${text}`);
    };
    this.#output = Promise.all([readLines(child.stdout, keep), readLines(child.stderr, keep)]);
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) =>
        resolve(signal === null ? `ended (exit code ${code})` : `was ended by ${signal}`),
      );
      child.once('error', (error) => resolve(`could not be started: ${describeSystemError(error)}`));
    });
    void this.exited.then(() => {
      this.running = false;
    });
  }

  get id(): string {
    return String(this.#child.pid ?? '');
  }

  async usage(): Promise<Usage | null> {
    const { processUsage } = await import('../usage.ts');
    return this.#child.pid === undefined ? null : processUsage(this.#child.pid);
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    if ((await withTimeout(END_LIMIT, this.exited)) === null && this.#child.pid !== undefined)
      killGroup(this.#child.pid);
    await this.#reaper.close();
    await withTimeout(OUTPUT_GRACE, this.#output);
    for (const stream of this.#child.stdio) stream?.destroy();
  }

  /** Why it did not start, with its last output. */
  failure({ message }: Error): string {
    const said = this.logLines.length === 0 ? '' : `\nLast output:\n${this.logLines.slice(-LAST_LINES).join('\n')}`;
    const missing = this.logLines.some((line) => /No module named '?(?:uvicorn|openenv)/.test(line));
    const hint = missing ? '\nInstall OpenEnv for this interpreter: pip install openenv' : '';
    return `The server of the OpenEnv environment “${this.#name}” ${message}: ${this.#command}${hint}${said}`;
  }
}

/** That of this process, so that an environment finds what it needs; nothing is written next to the user's files. */
function pythonEnvironment(folder: string): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, ELECTRON_RUN_AS_NODE: _electron, ...inherited } = process.env;
  const path = inherited['PYTHONPATH'];
  return {
    ...inherited,
    PYTHONPATH: path ? `${folder}${delimiter}${path}` : folder,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
    PYTHONUTF8: '1',
  };
}

function noPython(error: Error): never {
  throw new ServerError('start_failed', error.message, { cause: error });
}

/** A free port. If another program takes it in the meantime, the server ends with an error. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
