import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { CodedError } from '../../base/coded-error.ts';
import { LogLines } from '../../base/log-lines.ts';
import type { Program } from '../command-line.ts';

/** Milliseconds in which a server must end its sessions after a request to stop. */
const END_MS = 10_000;

/** Why tasks cannot be served. */
export class ServingError extends CodedError {
  override readonly name = 'ServingError';
}

const listeningSchema = z.object({ url: z.string(), agent_token: z.string(), pid: z.number().int() });
const failedSchema = z.object({ error: z.object({ message: z.string(), code: z.string() }) });

/** A process of `taskwright serve`, which listens. It ends with this process, because its standard input closes then. */
export class TaskServer {
  readonly url: string;
  readonly token: string;
  /** What agents must send, which act over `/mcp`. */
  readonly agentToken: string;
  readonly pid: number;
  readonly startedAt = new Date();
  readonly logLines: LogLines;
  /** Resolves when the process has ended, with whether `stop` ended it. */
  readonly whenEnded: Promise<{ readonly stopped: boolean }>;
  readonly #child: ChildProcessWithoutNullStreams;
  #stopped = false;

  private constructor(
    child: ChildProcessWithoutNullStreams,
    { url, agent_token: agentToken, pid }: z.infer<typeof listeningSchema>,
    token: string,
    logLines: LogLines,
  ) {
    this.#child = child;
    this.url = url;
    this.token = token;
    this.agentToken = agentToken;
    this.pid = pid;
    this.logLines = logLines;
    this.whenEnded = new Promise((resolve) => child.once('close', () => resolve({ stopped: this.#stopped })));
  }

  /**
   * Starts a server. Rejects with `ServingError` if it does not listen.
   *
   * @param args what follows `serve`
   * @param token what its clients must send
   */
  static start(
    { file, args: before, env }: Program,
    args: readonly string[],
    { folder, token }: { readonly folder: string; readonly token: string },
  ): Promise<TaskServer> {
    const child = spawn(file, [...before, 'serve', '--json', ...args], {
      cwd: folder,
      // Other users of the machine see arguments.
      env: { ...env, TASKWRIGHT_TOKEN: token },
      stdio: 'pipe',
      windowsHide: true,
    });
    // A process that has ended reads nothing.
    child.stdin.on('error', () => {});
    const logLines = new LogLines();
    createInterface(child.stderr).on('line', (line) => logLines.add(line));
    const lines: string[] = [];
    return new Promise((resolve, reject) => {
      createInterface(child.stdout).on('line', (line) => {
        lines.push(line);
        const listening = listeningSchema.safeParse(parseJsonOrUndefined(line));
        if (listening.success) resolve(new TaskServer(child, listening.data, token, logLines));
      });
      child.once('error', reject);
      child.once('close', (code) => reject(failure(lines.join('\n'), logLines, code)));
    });
  }

  /** Ends the server and its sessions, whose runs are cancelled. Resolves when the process has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await this.whenEnded;
    clearTimeout(timer);
  }
}

/** Why a process has ended before it listened. */
function failure(output: string, logLines: LogLines, code: number | null): ServingError {
  const failureReport = failedSchema.safeParse(parseJsonOrUndefined(output));
  if (failureReport.success) return new ServingError(failureReport.data.error.code, failureReport.data.error.message);
  const last = logLines.lines.at(-1);
  return new ServingError(
    'server_ended',
    `The server ended with exit code ${code ?? 'none'} before it listened.${last === undefined ? '' : ` ${last}`}`,
  );
}

/** Undefined for other output than JSON. */
function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
