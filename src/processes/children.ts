import fs from 'node:fs';
import { parseStat } from './stat.ts';

/** How long the children of a process are searched, in ms. On a busy machine, a killed process takes a while to end. */
const SEARCH_LIMIT = 2_000;

/** The ids of the running processes that this process has started or inherited. */
export function childrenOfThisProcess(): ReadonlySet<number> {
  return new Set(findChildren(fs, process.pid));
}

/**
 * Ends all children of this process except those in `except`, and the processes that it inherits from them. Only a
 * process that was started with `asSubreaper` inherits processes.
 */
export function endOtherChildren(except: ReadonlySet<number>): void {
  endChildrenIn(fs, process, except, findChildren, SEARCH_LIMIT);
}

/**
 * Ends all children of another process, and the processes that it inherits from them. Call this before ending that
 * process.
 */
export function endChildrenOf(pid: number): void {
  endChildrenIn(fs, { pid, kill: process.kill }, new Set(), findChildren, SEARCH_LIMIT);
}

/** JavaScript that ends all children of its process, for a thread that shares no modules with this one. */
export const END_CHILDREN = `(${endChildrenIn})(require('node:fs'), process, new Set(), (files, parent) => (${childrenIn})(files, parent, ${parseStat}), ${SEARCH_LIMIT});`;

type Files = Pick<typeof fs, 'readdirSync' | 'readFileSync'>;

function findChildren(files: Files, parent: number): number[] {
  return childrenIn(files, parent, parseStat);
}

// The next two are in the text above, too: they use nothing but their arguments.

/**
 * Kills the children of a process until it has none.
 * @param limit in ms
 */
export function endChildrenIn(
  files: Files,
  self: Pick<NodeJS.Process, 'pid' | 'kill'>,
  except: ReadonlySet<number>,
  find: typeof findChildren,
  limit: number,
): void {
  const deadline = performance.now() + limit;
  let killedPids: readonly number[] = [];
  do {
    const pids = find(files, self.pid).filter((pid) => !except.has(pid));
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        self.kill(pid, 'SIGKILL');
      } catch {
        // The process has ended meanwhile.
      }
    }
    // This process inherits the children of a killed process only when that has ended.
    if (pids.every((pid) => killedPids.includes(pid))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    killedPids = pids;
  } while (performance.now() < deadline);
}

function childrenIn(files: Files, parent: number, parse: typeof parseStat): number[] {
  const isRunningChild = (pid: number): boolean => {
    try {
      const stat = parse(files.readFileSync(`/proc/${pid}/stat`, 'utf8'));
      return stat.parent === parent && stat.state !== 'Z' && stat.state !== 'X';
    } catch {
      // The process has ended meanwhile.
      return false;
    }
  };
  // The kernel's list is fast enough to catch a process that forks and exits repeatedly, but may miss others.
  try {
    const children = files
      .readdirSync(`/proc/${parent}/task`)
      .flatMap((task) => files.readFileSync(`/proc/${parent}/task/${task}/children`, 'utf8').trim().split(' '))
      .map(Number)
      .filter((pid) => pid > 0 && isRunningChild(pid));
    if (children.length > 0) return children;
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
