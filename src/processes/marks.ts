import { readdirSync, readFileSync } from 'node:fs';
import { kill } from './groups.ts';

/** A variable with a UUID, which no process has by chance. */
const MARK = /^\w+=[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Ends all processes with a variable, given as `NAME=value`, in their environment, whatever their session or process
 * group. Does nothing without /proc.
 */
export function endMarked(mark: string): void {
  // Requires a unique value, because an empty one would match every process.
  if (!MARK.test(mark)) throw new Error(`“${mark}” marks no processes: NAME=UUID is needed.`);
  killAll((pid) => pid !== process.pid && hasVariable(pid, mark));
}

/** Maximum number of searches. The next search finds processes that were started meanwhile. */
const MAX_SEARCHES = 200;

/** Kills all processes that match. Returns whether none is left. Does nothing without /proc. */
export function killAll(matches: (pid: number) => boolean): boolean {
  for (let search = 0; search < MAX_SEARCHES; search += 1) {
    const pids = processes().filter(matches);
    if (pids.length === 0) return true;
    for (const pid of pids) kill(pid);
  }
  return false;
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
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
