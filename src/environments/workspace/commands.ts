import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { AgentFault } from '../../functions/agent-fault.ts';
import type { CommandResult } from '../../functions/declaration.ts';
import { BoundedOutput } from './bounded-output.ts';
import { withoutRepository } from './git-variables.ts';
import type { Launcher } from './launcher.ts';

/** Bytes of a command's output that are kept where nothing else is asked for. */
const KEPT_OUTPUT = 32 * 1024;
/** What goes on in the background may hold the output open: so long is waited for its end after the command's, in ms. */
const LAST_WORDS = 100;
/** Runs a program whose standard error goes with its output, and whose input is empty. */
const ONE_STREAM = 'exec "$@" 2>&1 </dev/null';

export interface CommandOptions {
  /** Milliseconds until it is ended with all it started. */
  readonly timeout: number;
  /** Bytes of output that are kept; the middle of what is more is left out. */
  readonly keep?: number;
}

/**
 * Runs command lines in a folder, each in a process group of its own. What a command leaves running in the background
 * goes on until `close`, or until this process ends, however that comes.
 */
export class Commands {
  readonly #folder: string;
  readonly #variables: Readonly<Record<string, string>>;
  readonly #launcher: Launcher;
  #closed = false;

  /** `variables`: what commands find in their environment beside ours. */
  constructor(folder: string, launcher: Launcher, variables: Readonly<Record<string, string>> = {}) {
    this.#folder = folder;
    this.#launcher = launcher;
    this.#variables = variables;
  }

  /** Runs a command line in a shell. Rejects with a message if no shell can be started. */
  run(command: string, options: CommandOptions): Promise<CommandResult> {
    return this.runProgram(['sh', '-c', command], options);
  }

  /** Runs a program with arguments. */
  async runProgram(words: readonly string[], { timeout, keep = KEPT_OUTPUT }: CommandOptions): Promise<CommandResult> {
    if (this.#closed) throw new Error('the task is over: no command can run any more');
    // One stream for both, so that what was written stands in its order.
    const {
      input,
      output: written,
      ended,
      kill,
      unref,
    } = this.#launcher.start('sh', ['-c', ONE_STREAM, 'sh', ...words], {
      cwd: this.#folder,
      env: this.#environment(),
    });
    input.end();
    const output = new BoundedOutput(keep);
    const silent = new Promise<void>((resolve) => {
      written.once('close', () => resolve());
    });
    let over = false;
    written.on('data', (chunk: Buffer) => {
      // What still runs in the background may go on writing.
      if (!over) output.add(chunk);
    });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, timeout);
    try {
      const { code } = await ended.catch((error: Error) => {
        throw notStarted(error, this.#folder);
      });
      await Promise.race([silent, new Promise((resolve) => setTimeout(resolve, LAST_WORDS))]);
      return { output: output.text, truncated: output.truncated, exitCode: code, timedOut };
    } finally {
      over = true;
      clearTimeout(timer);
      unref();
    }
  }

  /** Ends all that is left running. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#launcher.close();
  }

  #environment(): NodeJS.ProcessEnv {
    const variables = withoutRepository(process.env);
    // Set where our own processes run in VS Code's program.
    delete variables['ELECTRON_RUN_AS_NODE'];
    return {
      ...variables,
      PWD: this.#folder,
      // Nobody is there to turn a page, to read colours or to type a password.
      TERM: 'dumb',
      NO_COLOR: '1',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
      GIT_CEILING_DIRECTORIES: dirname(this.#folder),
      ...this.#variables,
    };
  }
}

function notStarted(error: NodeJS.ErrnoException, folder: string): Error {
  if (error.code === 'ENOENT' && !existsSync(folder))
    return new AgentFault('the folder of the task is gone', { cause: error });
  const why =
    error.code === 'ENOENT'
      ? 'this machine has no `sh`: run the task with --placement docker'
      : error.code === 'EAGAIN'
        ? 'there are too many processes'
        : error.message;
  return new Error(`the command could not be started: ${why}`, { cause: error });
}
