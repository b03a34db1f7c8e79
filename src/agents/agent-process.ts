import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { killGroup } from '../processes/groups.ts';
import { Guard } from '../processes/guard.ts';
import { endMarked } from '../processes/marks.ts';

/** Time that an agent has to end by itself before it is killed. */
const CLOSE_MS = 500;
/** Time to wait for the remaining output of an agent that has ended. */
const DRAIN_MS = 500;
const TAIL_LINES = 5;

/** Maximum length of a line from an agent, in UTF-16 code units. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/** Maximum length of the agent output that is logged, in UTF-16 code units. */
const MAX_LOGGED = 10 * 1024 * 1024;

/**
 * Calls `take` for each line of a stream, and `tooLong` for a line that exceeds the limit. The last line needs no line
 * break.
 */
export function eachLine(
  stream: NodeJS.ReadableStream,
  onLine: (line: string) => void,
  tooLong: () => void,
  longest = MAX_LINE_LENGTH,
): void {
  let partial = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = text.split('\n');
    lines[0] = partial + (lines[0] ?? '');
    partial = lines.pop() ?? '';
    for (const line of lines) onLine(line.replace(/\r$/, ''));
    if (partial.length > longest) {
      partial = '';
      tooLong();
    }
  });
  stream.on('end', () => {
    const last = partial;
    partial = '';
    if (last !== '') onLine(last);
  });
}

/** Passes on what an agent writes, up to a limit. */
export function boundedLog(log: (text: string) => void): (text: string) => void {
  let remaining = MAX_LOGGED;
  return (text) => {
    if (remaining <= 0) return;
    remaining -= text.length;
    log(remaining > 0 ? text : `${text.slice(0, remaining + text.length)}… (no more is shown)`);
  };
}

/** How a process ended: `exit code 1` or `signal SIGKILL`. */
function ending(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

interface AgentProcessOptions extends Pick<SpawnOptions, 'cwd' | 'stdio'> {
  readonly env: NodeJS.ProcessEnv;
  log(text: string): void;
}

/** An agent's process in its own process group. A guard ends it with this process, and its standard error goes to the log. */
export class AgentProcess {
  readonly child: ChildProcess;
  /** Resolves with how the process ended, after its output was read. Rejects if it could not be started. */
  readonly exit: Promise<string>;
  readonly #guard = new Guard('TASKWRIGHT_AGENT');
  readonly #stderrTail: string[] = [];
  #running = true;

  constructor(command: readonly [program: string, ...args: string[]], options: AgentProcessOptions) {
    const [program, ...args] = command;
    const { log, env, ...more } = options;
    this.child = spawn(program, args, {
      ...more,
      env: { ...env, ...this.#guard.mark },
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    if (this.child.pid !== undefined) this.#guard.add(this.child.pid);
    this.exit = new Promise((resolve, reject) => {
      this.child.on('exit', (code, signal) => {
        this.#running = false;
        // `close` fires when all streams have ended; a process that the agent started may hold them open.
        const late = setTimeout(() => resolve(ending(code, signal)), DRAIN_MS);
        this.child.on('close', () => {
          clearTimeout(late);
          resolve(ending(code, signal));
        });
      });
      this.child.on('error', (error) => {
        if (this.child.pid !== undefined) return;
        this.#running = false;
        reject(error);
      });
    });
    // Callers that await `exit` handle the rejection.
    this.exit.catch(() => {});
    const record = (line: string): void => {
      this.#stderrTail.push(line);
      if (this.#stderrTail.length > TAIL_LINES) this.#stderrTail.shift();
      log(line);
    };
    if (this.child.stderr !== null) eachLine(this.child.stderr, record, () => log('(a line too long to show)'));
  }

  /** The last lines of standard error, for messages about the end of the process; empty without any. */
  get lastLines(): string {
    return this.#stderrTail.length === 0 ? '' : `\nLast lines of its output:\n${this.#stderrTail.join('\n')}`;
  }

  kill(): void {
    if (this.child.pid === undefined) return;
    killGroup(this.child.pid);
    endMarked(this.#guard.label);
  }

  /** Asks the process to end, kills it if it does not end in time, and waits until it has ended. */
  async close(requestEnd: () => void): Promise<void> {
    if (this.#running && this.child.pid !== undefined) {
      requestEnd();
      const timer = setTimeout(() => this.kill(), CLOSE_MS);
      await this.exit;
      clearTimeout(timer);
    }
    // Processes that it started may still run.
    this.kill();
    await this.#guard.close();
  }
}
