import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { endMarked, endMarkedAndLate } from '../../../environments/descendants.ts';
import { programEnvironment } from './program.ts';

/** How long an idle reaper waits for the next agent before it ends. */
const IDLE_MS = 5_000;

/** Environment variable that identifies every process that an agent starts, whatever its process group. */
const MARK = 'TASKWRIGHT_AGENT';

/** The environment of an agent with a mark that is unique on this machine. */
export function marked(env: NodeJS.ProcessEnv): { readonly env: NodeJS.ProcessEnv; readonly mark: string } {
  const name = randomUUID();
  return { env: { ...env, [MARK]: name }, mark: `${MARK}=${name}` };
}

/** Kills the process group of an agent and all marked processes that left the group. */
export function endAll(pid: number, mark: string): void {
  killGroup(pid);
  endMarked(mark);
}

/** Ignores groups that have already ended. */
function killGroup(pid: number): void {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * A separate process that kills the agents' processes when this process ends for any reason. Otherwise an agent that hangs
 * or ignores the end of its input would keep running.
 */
export class Reaper {
  readonly #program: string;
  /** The mark of each process. */
  readonly #guarded = new Map<number, string>();
  #child: ChildProcess | null = null;
  #idle: NodeJS.Timeout | null = null;

  /** @param program path of agent.js */
  constructor(program: string) {
    this.#program = program;
  }

  /** Starts the reaper. Call this before starting a process to guard, so that the process is never unguarded. */
  ready(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#child !== null) return;
    const child = spawn(process.execPath, [this.#program, 'reaper'], {
      // A separate process group, so that Ctrl+C in a terminal does not end the reaper before the agents.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: programEnvironment(),
      windowsHide: true,
    });
    this.#child = child;
    const onExit = (): void => {
      if (this.#child === child) this.#child = null;
    };
    child.on('error', onExit).on('exit', onExit);
    child.stdin.on('error', onExit);
    child.unref();
    // A pipe is a socket, which can be left out of what keeps this process alive.
    (child.stdin as unknown as { unref(): void }).unref();
    for (const [pid, mark] of this.#guarded) child.stdin.write(`+${pid} ${mark}\n`);
  }

  /** `mark`: what stands in the environment of the process and of all that it starts. */
  guard(pid: number, mark: string): void {
    this.#guarded.set(pid, mark);
    this.#child?.stdin?.write(`+${pid} ${mark}\n`);
  }

  release(pid: number): void {
    if (!this.#guarded.delete(pid)) return;
    this.#child?.stdin?.write(`-${pid}\n`);
    if (this.#guarded.size > 0) return;
    this.#idle = setTimeout(() => {
      this.#child?.stdin?.end();
      this.#child = null;
    }, IDLE_MS).unref();
  }
}

const reapers = new Map<string, Reaper>();

/** The one reaper of this process. */
export function reaperOf(program: string): Reaper {
  const existing = reapers.get(program);
  if (existing !== undefined) return existing;
  const reaper = new Reaper(program);
  reapers.set(program, reaper);
  return reaper;
}

/** The reaper process: follows commands on standard input, and kills all guarded processes when the input ends. */
export function reap(): void {
  const guarded = new Map<number, string>();
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const [, sign, number, mark] = /^([+-])(\d+)(?: (TASKWRIGHT_AGENT=[\da-f-]{36}))?$/.exec(line) ?? [];
    const pid = Number(number);
    if (!Number.isSafeInteger(pid) || pid < 2) return;
    if (sign === '+') {
      if (mark !== undefined) guarded.set(pid, mark);
      return;
    }
    const ended = guarded.get(pid);
    if (ended === undefined) return;
    guarded.delete(pid);
    void endMarkedAndLate(ended);
  });
  lines.on('close', () => {
    for (const [pid, mark] of guarded) {
      killGroup(pid);
      void endMarkedAndLate(mark);
    }
  });
}
