import type { Readable, Writable } from 'node:stream';

export interface LaunchOptions {
  /** Absolute path of the working directory. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A process that was started, in a process group of its own. Its standard error goes where its program sends it. */
export interface Launched {
  /** Null where the process has another user, who alone knows it. */
  readonly pid: number | null;
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves when the process has ended; what it left running may still write. Rejects where it could not start. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Ends the process group. */
  kill(): void;
  /** Does not keep this process alive. */
  unref(): void;
}

/** Starts the programs that an agent asks for, or that run what an agent wrote, and ends all that they leave running. */
export interface Launcher {
  /** Whether programs run as a user who cannot reach this process or its files. */
  readonly isolated: boolean;
  start(program: string, args: readonly string[], options: LaunchOptions): Launched;
  /** Ends everything that was started and still runs. */
  close(): Promise<void>;
}
