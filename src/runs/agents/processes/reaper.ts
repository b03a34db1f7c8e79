import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { endMarked } from '../../../environments/descendants.ts';
import { programEnvironment } from './program.ts';

/** How long an idle reaper waits for the next agent before it ends. */
const IDLE_MS = 5_000;

/** The variable by which whatever an agent has started is found, whichever process group it went to. */
const MARK = 'TASKWRIGHT_AGENT';

/** An environment for an agent, and its mark, which no other agent on this machine has. */
export function marked(env: NodeJS.ProcessEnv): { readonly env: NodeJS.ProcessEnv; readonly mark: string } {
  const name = randomUUID();
  return { env: { ...env, [MARK]: name }, mark: `${MARK}=${name}` };
}

/** Ends the process group of an agent, and what has left it. */
export function endAll(pid: number, mark: string): void {
  killGroup(pid);
  endMarked(mark);
}

/** A group that is gone already is fine. */
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
 * A small process beside ours that ends the agents' processes when ours is gone, however it went: an agent that hangs
 * or ignores its closed input would stay behind otherwise.
 */
export class Reaper {
  readonly #program: string;
  /** The mark of each process. */
  readonly #guarded = new Map<number, string>();
  #child: ChildProcess | null = null;
  #idle: NodeJS.Timeout | null = null;

  /** `program`: the path of agent.js. */
  constructor(program: string) {
    this.#program = program;
  }

  /** To be called before the process to guard is started, so that no moment is left unguarded. */
  ready(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#child !== null) return;
    const child = spawn(process.execPath, [this.#program, 'reaper'], {
      // A group of its own: Ctrl+C in a terminal must not end it before the agents.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: programEnvironment(),
      windowsHide: true,
    });
    this.#child = child;
    const gone = (): void => {
      if (this.#child === child) this.#child = null;
    };
    child.on('error', gone).on('exit', gone);
    child.stdin.on('error', gone);
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
  const known = reapers.get(program);
  if (known !== undefined) return known;
  const reaper = new Reaper(program);
  reapers.set(program, reaper);
  return reaper;
}

/** The reaper's own side: follows what it is told on standard input; when that ends it ends all that is left. */
export function reap(): void {
  const guarded = new Map<number, string>();
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const [, sign, number, mark] = /^([+-])(\d+)(?: (TASKWRIGHT_AGENT=[\da-f-]{36}))?$/.exec(line) ?? [];
    const pid = Number(number);
    if (!Number.isSafeInteger(pid) || pid < 2) return;
    if (sign === '-') guarded.delete(pid);
    else if (mark !== undefined) guarded.set(pid, mark);
  });
  lines.on('close', () => {
    for (const [pid, mark] of guarded) endAll(pid, mark);
  });
}
