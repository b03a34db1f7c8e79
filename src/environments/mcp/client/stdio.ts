import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { deserializeMessage, type JSONRPCMessage, serializeMessage } from '@modelcontextprotocol/client';
import { LogLines } from '../../../base/log-lines.ts';
import { withTimeout } from '../../../base/timeout.ts';
import { untilExit } from '../../../processes/exit.ts';
import { Guard } from '../../../processes/guard.ts';
import { checkPipes } from '../../../processes/pipes.ts';
import { EnvironmentError } from '../../environment.ts';
import { startsContainer } from '../spec.ts';
import type { ServerTransport } from './connection.ts';

/** The maximum length of a line of the log. */
const MAX_LINE = 2_000;
/** How long a server may take to end by itself, in ms. */
const END_LIMIT = 1_000;
/** How long to wait for the last output of a server that has ended, in ms. */
const OUTPUT_GRACE = 200;

export interface StdioOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** Variables in addition to those of this process. */
  readonly env: Readonly<Record<string, string>>;
  log(text: string): void;
}

/**
 * A server that is a child process, with a message in each line of its standard streams. The library's transport ends
 * neither a server of HUD 0.5 nor what a server started.
 */
export class StdioTransport implements ServerTransport {
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  onclose?: (() => void) | undefined;
  readonly name: string;
  readonly lost: Promise<never>;
  readonly #child: ChildProcess;
  /** Ends the server, its container, and what it started, even if this process is killed. */
  readonly #guard: Guard;
  /** Resolves with how the process ended. */
  readonly #exit: Promise<string>;
  readonly #logLines = new LogLines();
  readonly #log: (text: string) => void;
  #closing: Promise<void> | null = null;

  constructor({ name, command, args, cwd, env, log }: StdioOptions) {
    this.name = `MCP server “${name}”`;
    this.#log = (text) => {
      this.#logLines.add(text);
      log(`[${name}] ${text}`);
    };
    const isContainer = startsContainer(command, args);
    this.#guard = new Guard('TASKWRIGHT_WORKSPACE', isContainer ? { command, env } : undefined);
    // The container outlives `docker run` if its program ignores that its input ends.
    const words = isContainer ? ['run', '--label', this.#guard.label, ...args.slice(1)] : args;
    const child = spawn(command, words, {
      cwd,
      env: { ...process.env, ...env, ...this.#guard.mark },
      // A process group of its own, so that it is ended with its children.
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    checkPipes(child);
    this.#child = child;
    if (child.pid !== undefined) this.#guard.add(child.pid);
    child.stdin.on('error', () => {
      // The exit is reported.
    });
    const outputEnd = Promise.all([once(child.stdout, 'close'), lines(child.stderr, MAX_LINE, this.#log)]);
    this.#exit = untilExit(child);
    this.lost = new Promise((_resolve, reject) => {
      void this.#exit.then(async (how) => {
        await withTimeout(OUTPUT_GRACE, outputEnd);
        if (this.#closing === null) reject(this.#failure(`${how}: ${[command, ...args].join(' ')}`));
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.stdin?.write(serializeMessage(message), (error) => {
        if (!error) resolve();
        else if (this.#closing !== null) reject(error);
        // It has ended. The error has its last output.
        else this.lost.catch(reject);
      });
    });
  }

  async start(): Promise<void> {
    const { stdout } = this.#child;
    if (stdout === null) return;
    void lines(stdout, Number.POSITIVE_INFINITY, (line) => {
      const message = parse(line);
      // The program also prints to standard output, which is for messages only.
      if (message === undefined) this.#log(line);
      else this.onmessage?.(message);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    // A server of HUD 0.5 ends only after both.
    this.#child.stdin?.end();
    if (this.#child.pid !== undefined) terminate(this.#child.pid);
    await withTimeout(END_LIMIT, this.#exit);
    await this.#guard.close();
    for (const stream of this.#child.stdio) stream?.destroy();
    this.onclose?.();
  }

  #failure(what: string): EnvironmentError {
    return new EnvironmentError('environment_lost', `The ${this.name} ${what}${this.#logLines.lastOutput('\n')}`);
  }
}

/** Requests that a process and its children end. */
function terminate(pid: number): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGTERM');
  } catch {
    // It has ended.
  }
}

/** Undefined for a line that is not a message, which the caller logs. */
function parse(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line);
  } catch {
    return undefined;
  }
}

/** Calls `onLine` for each line that is not blank. Resolves at the end of the stream. */
async function lines(
  stream: NonNullable<ChildProcess['stdout']>,
  longest: number,
  onLine: (line: string) => void,
): Promise<void> {
  // Parts of a line: adding to a text for each chunk of a large message would copy it each time.
  let parts: string[] = [];
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const [first = '', ...rest] = chunk.split('\n');
    parts.push(first);
    for (const next of rest) {
      const line = parts.join('').trimEnd();
      if (line !== '') onLine(line.length > longest ? `${line.slice(0, longest)}…` : line);
      parts = [next];
    }
  });
  await once(stream, 'close');
  const last = parts.join('').trimEnd();
  if (last !== '') onLine(last);
}
