import { type ChildProcess, spawn } from 'node:child_process';
import { LogLines } from '../base/log-lines.ts';
import { patient } from '../base/patience.ts';
import { withTimeout } from '../base/timeout.ts';
import { untilExit } from '../processes/exit.ts';
import { killGroup } from '../processes/groups.ts';
import { Guard } from '../processes/guard.ts';
import { inheritedVariables, TOOLCHAIN_VARIABLES } from '../processes/inherited-variables.ts';
import { checkPipes } from '../processes/pipes.ts';
import { readLines } from '../server/log.ts';
import { ServerError, type Usage } from './placement.ts';
import type { StartedServer } from './shared-servers.ts';

/** How long a server may take to end by itself, in ms. */
const END_LIMIT = 2_000;
/** How long a server that has closed its connections may take to end, in ms. */
const LOST_LIMIT = patient(5_000);
/** How long to wait for the remaining output of a server that has ended, in ms. */
const OUTPUT_GRACE = 500;

export interface PythonServerOptions {
  /** Of the environment, for its log. */
  readonly name: string;
  /** What it is, for messages: `server of the OpenEnv environment`. */
  readonly what: string;
  /** Absolute path of the interpreter. */
  readonly program: string;
  readonly args: readonly string[];
  /** The same without Taskwright's own parts, for messages. */
  readonly command: string;
  /** The program reads it as a line from its standard input, and whoever uses its port presents it. */
  readonly secret: string;
  /** The folder that it runs in. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  log(text: string): void;
  /** Receives each line of its output. */
  onLine?(text: string): void;
  /** What to do if its output has such a line. */
  readonly hint?: { readonly line: RegExp; readonly advice: string };
}

/** A server of an environment that runs in Python. It ends with this process, however that ends. */
export class PythonServer implements StartedServer {
  /** Empty until it is known. */
  address = '';
  readonly logLines = new LogLines();
  readonly exit: Promise<string>;
  readonly #options: PythonServerOptions;
  readonly #child: ChildProcess;
  /** Ends the server and what it started, even if this process is killed. */
  readonly #guard = new Guard('TASKWRIGHT_WORKSPACE');
  readonly #output: Promise<unknown>;

  constructor(options: PythonServerOptions) {
    this.#options = options;
    const { name, program, args, secret, folder, env, log, onLine } = options;
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...pythonEnvironment(), ...env, ...this.#guard.mark },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    checkPipes(child);
    // A program that ends before it reads the secret says why.
    child.stdin.on('error', () => undefined).end(`${secret}\n`);
    this.#child = child;
    if (child.pid !== undefined) this.#guard.add(child.pid);
    const keep = (text: string): void => {
      this.logLines.add(text);
      log(`[${name}] ${text}`);
      onLine?.(text);
    };
    this.#output = Promise.all([readLines(child.stdout, keep), readLines(child.stderr, keep)]);
    this.exit = untilExit(child);
  }

  get name(): string {
    return this.#options.name;
  }

  get id(): string {
    return String(this.#child.pid ?? '');
  }

  /**
   * Resolves as the promise that it is ready does. Ends it and rejects with `ServerError`, and its last output, if that
   * rejects.
   */
  async until<T>(ready: Promise<T>): Promise<T> {
    try {
      return await ready;
    } catch (error) {
      await this.stop();
      throw new ServerError('start_failed', this.#failure(error as Error), { cause: error });
    }
  }

  async usage(): Promise<Usage | null> {
    const { processUsage } = await import('./usage.ts');
    return this.#child.pid === undefined ? null : processUsage(this.#child.pid);
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    if ((await withTimeout(END_LIMIT, this.exit)) === null && this.#child.pid !== undefined) killGroup(this.#child.pid);
    await this.#guard.close();
    await withTimeout(OUTPUT_GRACE, this.#output);
    for (const stream of this.#child.stdio) stream?.destroy();
  }

  /** How it ended, with its last output; null if it does not end. */
  async lastWords(): Promise<string | null> {
    const how = await withTimeout(LOST_LIMIT, this.exit);
    if (how === null) return null;
    const { what, name } = this.#options;
    await withTimeout(OUTPUT_GRACE, this.#output);
    return `The ${what} “${name}” ${how}.${this.logLines.lastOutput('\n')}`;
  }

  #failure({ message }: Error): string {
    const { what, name, command, hint } = this.#options;
    const advice = this.logLines.lines.some((line) => hint?.line.test(line)) ? `\n${hint?.advice}` : '';
    return `The ${what} “${name}” ${message}: ${command}${advice}${this.logLines.lastOutput('\n')}`;
  }
}

/** Nothing is written next to the user's files. */
function pythonEnvironment(): NodeJS.ProcessEnv {
  return {
    ...inheritedVariables(process.env, TOOLCHAIN_VARIABLES),
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
    PYTHONUTF8: '1',
  };
}
