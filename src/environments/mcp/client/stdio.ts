import { type ChildProcess, spawn } from 'node:child_process';
import { deserializeMessage, type JSONRPCMessage, serializeMessage } from '@modelcontextprotocol/client';
import { LogLines } from '../../../base/log-lines.ts';
import { untilExit } from '../../../processes/exit.ts';
import { Guard } from '../../../processes/guard.ts';
import { checkPipes } from '../../../processes/pipes.ts';
import { EnvironmentError } from '../../environment.ts';
import { startsContainer } from '../container-program.ts';
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
  readonly #exited: Promise<string>;
  readonly #logLines = new LogLines();
  readonly #log: (text: string) => void;
  #closed: Promise<void> | null = null;

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
    const ended = Promise.all([closed(child.stdout), lines(child.stderr, MAX_LINE, this.#log)]);
    this.#exited = untilExit(child);
    this.lost = new Promise((_resolve, reject) => {
      void this.#exited.then(async (how) => {
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, OUTPUT_GRACE))]);
        if (this.#closed === null) reject(this.#failure(`${how}: ${[command, ...args].join(' ')}`));
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.stdin?.write(serializeMessage(message), (error) => {
        if (!error) resolve();
        else if (this.#closed !== null) reject(error);
        // It has ended, which is told with its last output.
        else this.lost.catch(reject);
      });
    });
  }

  async start(): Promise<void> {
    const { stdout } = this.#child;
    if (stdout === null) return;
    void lines(stdout, Number.POSITIVE_INFINITY, (line) => {
      const message = parse(line);
      // A program that prints to standard output, which is for messages alone.
      if (message === undefined) this.#log(line);
      else this.onmessage?.(message);
    });
  }

  /** The last lines of its log. */
  lastLines(): string {
    return this.#logLines.last.join('\n');
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    // A server of HUD 0.5 ends only with both.
    this.#child.stdin?.end();
    if (this.#child.pid !== undefined) signal(this.#child.pid);
    await Promise.race([this.#exited, new Promise((resolve) => setTimeout(resolve, END_LIMIT))]);
    await this.#guard.close();
    for (const stream of this.#child.stdio) stream?.destroy();
    this.onclose?.();
  }

  #failure(what: string): EnvironmentError {
    return new EnvironmentError('environment_lost', `The ${this.name} ${what}${this.#logLines.lastOutput('\n')}`);
  }
}

/** Asks a process and its children to end. */
function signal(pid: number): void {
  for (const target of process.platform === 'win32' ? [pid] : [-pid]) {
    try {
      process.kill(target, 'SIGTERM');
    } catch {
      // It has ended.
    }
  }
}

/** Undefined for a line that is no message, which the caller logs. */
function parse(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line);
  } catch {
    return undefined;
  }
}

/** Calls `told` for each line that is not blank. Resolves at the end of the stream. */
async function lines(
  stream: NonNullable<ChildProcess['stdout']>,
  longest: number,
  told: (line: string) => void,
): Promise<void> {
  // Parts of a line: adding to a text for each chunk of a large message would copy it each time.
  let parts: string[] = [];
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const [first = '', ...rest] = chunk.split('\n');
    parts.push(first);
    for (const next of rest) {
      const line = parts.join('').trimEnd();
      if (line !== '') told(line.length > longest ? `${line.slice(0, longest)}…` : line);
      parts = [next];
    }
  });
  await closed(stream);
  const last = parts.join('').trimEnd();
  if (last !== '') told(last);
}

function closed(stream: NonNullable<ChildProcess['stdout']>): Promise<void> {
  return new Promise((resolve) => {
    stream.once('close', () => resolve());
  });
}
