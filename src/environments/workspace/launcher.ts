import type { Readable, Writable } from 'node:stream';

export interface LaunchOptions {
  /** Absolute path of the working directory. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A started process with its own process group. Its program decides where its standard error goes. */
export interface Launched {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves when the process has ended; its background processes may still write. Rejects if it could not start. */
  readonly exit: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Kills the process group. */
  kill(): void;
  /** Lets this process exit while it runs. */
  unref(): void;
}

/** Starts programs for an agent, or programs that run an agent's code, and ends their background processes. */
export interface Launcher {
  /** Whether programs run as a user who cannot access this process or its files. */
  readonly isolated: boolean;
  start(program: string, args: readonly string[], options: LaunchOptions): Launched;
  /** Ends all processes that were started and still run. */
  close(): Promise<void>;
}
