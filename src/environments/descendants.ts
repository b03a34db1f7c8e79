import type { ChildProcess } from 'node:child_process';
import fs, { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** `prctl` as a system call (syscalls(2)), by the architecture of this Node. */
const PRCTL: Readonly<Record<string, number>> = { x64: 157, arm64: 167 };
/** prctl(2). The setting is preserved across `execve`. */
const PR_SET_CHILD_SUBREAPER = 36;

/** Programs that can make a system call and then execute another program, with their command lines. */
const CALLERS: readonly (readonly [string, (call: number) => readonly string[]])[] = [
  ['perl', (call) => ['-e', `syscall(${call}, ${PR_SET_CHILD_SUBREAPER}, 1, 0, 0, 0); exec { $ARGV[0] } @ARGV`]],
  [
    'python3',
    (call) => [
      ...['-I', '-S', '-c'],
      `import ctypes, os, sys; ctypes.CDLL(None).syscall(${call}, ${PR_SET_CHILD_SUBREAPER}, 1, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])`,
    ],
  ],
];

let caller: readonly string[] | null | undefined;

/**
 * The command line that runs a program as a child subreaper, which inherits orphaned descendants, whatever their
 * session, process group, or environment. This requires Linux with Perl or Python; otherwise, it is the command line of
 * the program alone.
 */
export function asSubreaper(program: string, args: readonly string[]): { program: string; args: readonly string[] } {
  caller ??= findCaller();
  const [command, ...before] = caller ?? [];
  return command === undefined ? { program, args } : { program: command, args: [...before, program, ...args] };
}

function findCaller(): readonly string[] | null {
  const call = process.platform === 'linux' ? PRCTL[process.arch] : undefined;
  if (call === undefined) return null;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  for (const [name, args] of CALLERS) {
    const found = folders.map((folder) => join(folder, name)).find(isProgram);
    if (found !== undefined) return [found, ...args(call)];
  }
  return null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A variable with a UUID, which no process has by chance. */
const MARK = /^\w+=[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** How often marked processes are searched. The next search finds processes that were started meanwhile. */
const MAX_SEARCHES = 200;
/** How long the children of a process are searched, in ms. On a busy machine, a killed process takes a while to end. */
const SEARCH_LIMIT = 2_000;

/**
 * Throws if a process could not be started because it got no pipes. Node.js reports too many open files only
 * afterwards.
 */
export function checkPipes(child: ChildProcess): void {
  // The types promise null or a stream.
  if ((child.stdout as unknown) !== undefined) return;
  child.once('error', () => {});
  throw Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE', syscall: 'spawn' });
}

/** The ids of the running processes that this process has started or inherited. */
export function childrenOfThisProcess(): ReadonlySet<number> {
  return new Set(childrenIn(fs, process.pid));
}

/**
 * Ends all children of this process except those in `except`, and the processes that it inherits from them. Only a
 * process that was started with `asSubreaper` inherits processes.
 */
export function endOtherChildren(except: ReadonlySet<number>): void {
  endChildrenIn(fs, process, except, childrenIn, SEARCH_LIMIT);
}

/**
 * Ends all children of another process, and the processes that it inherits from them. Call this before ending that
 * process.
 */
export function endChildrenOf(pid: number): void {
  endChildrenIn(fs, { pid, kill: process.kill }, new Set(), childrenIn, SEARCH_LIMIT);
}

/**
 * Pauses in ms after which marked processes are searched for again: one that is starting another program has no
 * environment for a moment, and is not found then.
 */
export const LATER_SEARCHES: readonly number[] = [50, 100, 250];

/**
 * Ends all processes with a variable, given as `NAME=value`, in their environment, whatever their session or process
 * group. Does nothing without /proc.
 */
export function endMarked(mark: string): void {
  // Requires a unique value, because an empty one would match every process.
  if (!MARK.test(mark)) throw new Error(`“${mark}” marks no processes: NAME=UUID is needed.`);
  for (let search = 0; search < MAX_SEARCHES; search += 1) {
    const found = processes().filter((pid) => hasVariable(pid, mark));
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has ended meanwhile.
      }
    }
  }
}

/**
 * Ends marked processes, and again after each pause of `LATER_SEARCHES`. Resolves afterwards.
 */
export async function endMarkedAndLate(mark: string): Promise<void> {
  endMarked(mark);
  for (const pause of LATER_SEARCHES) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    endMarked(mark);
  }
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  } catch {
    // This system has no /proc.
    return [];
  }
}

function hasVariable(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
  } catch {
    // The process has ended or belongs to another user.
    return false;
  }
}

/** JavaScript that ends all children of its process, for a thread that shares no modules with this one. */
export const END_CHILDREN = `(${endChildrenIn})(require('node:fs'), process, new Set(), ${childrenIn}, ${SEARCH_LIMIT});`;

// These two stand in the text above, too: they use nothing but their arguments.

/**
 * Kills the children of a process until it has none.
 * @param limit in ms
 */
export function endChildrenIn(
  files: Pick<typeof fs, 'readdirSync' | 'readFileSync'>,
  self: Pick<NodeJS.Process, 'pid' | 'kill'>,
  except: ReadonlySet<number>,
  find: typeof childrenIn,
  limit: number,
): void {
  const deadline = performance.now() + limit;
  let killed: readonly number[] = [];
  do {
    const found = find(files, self.pid).filter((pid) => !except.has(pid));
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        self.kill(pid, 'SIGKILL');
      } catch {
        // The process has ended meanwhile.
      }
    }
    // This process inherits the children of a killed process only when that has ended.
    if (found.every((pid) => killed.includes(pid))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    killed = found;
  } while (performance.now() < deadline);
}

function childrenIn(files: Pick<typeof fs, 'readdirSync' | 'readFileSync'>, parent: number): number[] {
  const isRunningChild = (pid: number): boolean => {
    try {
      const stat = files.readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name in parentheses may hold anything; the state and the parent follow (proc(5)).
      const [state = '', ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(ppid) === parent && state !== 'Z' && state !== 'X';
    } catch {
      // The process has ended meanwhile.
      return false;
    }
  };
  // The kernel's list is fast enough to catch a process that forks and exits repeatedly, but may miss others.
  try {
    const listed = files
      .readdirSync(`/proc/${parent}/task`)
      .flatMap((task) => files.readFileSync(`/proc/${parent}/task/${task}/children`, 'utf8').trim().split(' '))
      .map(Number)
      .filter((pid) => pid > 0 && isRunningChild(pid));
    if (listed.length > 0) return listed;
  } catch {
    // The kernel has no such list, or a thread has ended meanwhile.
  }
  try {
    return files.readdirSync('/proc').map(Number).filter(Number.isInteger).filter(isRunningChild);
  } catch {
    // This system has no /proc.
    return [];
  }
}
