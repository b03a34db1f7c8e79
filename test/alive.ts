import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Whether a process of this user runs. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** As `isAlive`, but a process that waits to be collected by its parent does not run. */
export function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  try {
    return !stateOf(pid).startsWith('Z');
  } catch (error) {
    // It has ended in between.
    if (!isAlive(pid)) return false;
    throw error;
  }
}

/** The state as `ps` has it: `S`, `R`, `Z`, and others. */
function stateOf(pid: number): string {
  if (process.platform !== 'linux') return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses can contain anything (proc(5)).
  return stat.slice(stat.lastIndexOf(')') + 2);
}
