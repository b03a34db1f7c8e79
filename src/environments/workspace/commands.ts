import { once } from 'node:events';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { withTimeout } from '../../base/timeout.ts';
import { AgentFault } from '../../functions/agent-fault.ts';
import type { CommandResult } from '../../functions/declaration.ts';
import { BoundedOutput } from './bounded-output.ts';
import { withoutRepository } from './git-variables.ts';
import type { Launched, Launcher } from './launcher.ts';

/** The default number of bytes of a command's output to keep. */
const KEPT_OUTPUT = 32 * 1024;
/**
 * How long to wait for the end of the output after the command has ended, in ms, because background processes may keep
 * it open.
 */
const LAST_WORDS = 100;
/** Runs a program with its standard error merged into its output, and without input. */
const ONE_STREAM = 'exec "$@" 2>&1 </dev/null';

export interface CommandOptions {
  /** The time limit in ms, after which it is terminated with its process group. */
  readonly timeout: number;
  /** The number of bytes of output to keep. The middle of a longer output is left out. */
  readonly keep?: number;
}

/**
 * Runs command lines in a folder, each in a new process group. Background processes of a command run until `close`, or
 * until this process ends in any way.
 */
export class Commands {
  readonly folder: string;
  readonly #variables: Readonly<Record<string, string>>;
  readonly launcher: Launcher;
  #closed = false;

  /** `variables`: additional environment variables of commands. */
  constructor(folder: string, launcher: Launcher, variables: Readonly<Record<string, string>> = {}) {
    this.folder = folder;
    this.launcher = launcher;
    this.#variables = variables;
  }

  /** Runs a command line in a shell. Rejects with a message if no shell can be started. */
  run(command: string, options: CommandOptions): Promise<CommandResult> {
    return this.runProgram(['sh', '-c', command], options);
  }

  /** Runs a program with arguments. */
  async runProgram(words: readonly string[], { timeout, keep = KEPT_OUTPUT }: CommandOptions): Promise<CommandResult> {
    if (this.#closed) throw new Error('the task has ended, so no more commands can run');
    // One stream for both, to preserve the order.
    const { input, output: outputStream, exit, kill, unref } = this.#start(words);
    input.end();
    const output = new BoundedOutput(keep);
    const silent = once(outputStream, 'close');
    let over = false;
    outputStream.on('data', (chunk: Buffer) => {
      // Background processes may continue to write.
      if (!over) output.add(chunk);
    });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, timeout);
    try {
      const { code } = await exit.catch((error: Error) => {
        throw notStarted(error, this.folder);
      });
      await withTimeout(LAST_WORDS, silent);
      return { output: output.text, truncated: output.truncated, exitCode: code, timedOut };
    } finally {
      over = true;
      clearTimeout(timer);
      unref();
    }
  }

  #start(words: readonly string[]): Launched {
    try {
      const options = { cwd: this.folder, env: this.#environment() };
      return this.launcher.start('sh', ['-c', ONE_STREAM, 'sh', ...words], options);
    } catch (error) {
      // Node throws some errors synchronously.
      throw notStarted(error as NodeJS.ErrnoException, this.folder);
    }
  }

  /** Ends all remaining processes. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.launcher.close();
  }

  #environment(): NodeJS.ProcessEnv {
    const variables = withoutRepository(process.env);
    // Set if our processes run in VS Code's executable.
    delete variables['ELECTRON_RUN_AS_NODE'];
    return {
      ...variables,
      PWD: this.folder,
      // There is no user to page through output, to see colors, or to type a password.
      TERM: 'dumb',
      NO_COLOR: '1',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
      GIT_CEILING_DIRECTORIES: dirname(this.folder),
      ...this.#variables,
    };
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // It was deleted, or replaced with a broken link.
    return false;
  }
}

function notStarted(error: NodeJS.ErrnoException, folder: string): Error {
  if (!isFolder(folder)) return new AgentFault('the task folder was deleted', { cause: error });
  if (error.code === 'EACCES') return new AgentFault('the task folder cannot be entered', { cause: error });
  const why =
    error.code === 'ENOENT'
      ? 'this machine has no `sh`: run the task with --placement docker'
      : error.code === 'EAGAIN'
        ? 'there are too many processes'
        : error.message;
  return new Error(`the command could not be started: ${why}`, { cause: error });
}
