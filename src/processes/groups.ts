import { spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { patient } from '../base/patience.ts';
import { readStat } from './stat.ts';

/** How long the processes of a killed group may take to end, in ms. */
const END_LIMIT = patient(2_000);
/** How often to look whether they have ended, in ms. */
const INTERVAL = 10;

/**
 * Whether a process group has processes, ended ones that nobody has waited for included. False if they belong to other
 * users. On Windows, which has no groups, whether its leader runs.
 */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(process.platform === 'win32' ? group : -group, 0);
    return true;
  } catch {
    // It has no processes, or only those of other users.
    return false;
  }
}

/**
 * Kills the processes of a group, if it has any; on Windows, which has no groups, the process tree. Call it before anyone
 * has waited for the leader, or with a group that has processes: an id that is free may be used again.
 */
export function killGroup(group: number): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(group), '/t', '/f'], { windowsHide: true, stdio: 'ignore' });
    return;
  }
  kill(-group);
}

/** Kills a process and, if it leads one, its group. */
export function killWithGroup(pid: number): void {
  killGroup(pid);
  if (process.platform !== 'win32') kill(pid);
}

/** Kills a process, or a group whose id is negative. Does nothing if it has ended. */
export function kill(target: number): void {
  try {
    process.kill(target, 'SIGKILL');
  } catch (error) {
    // macOS answers EPERM if processes have ended but nobody has waited for them.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/**
 * Resolves when no process of a killed group is left, so that none counts toward a limit on the number of processes, or
 * after a few seconds. Only where ended processes whose parent has ended are waited for, as by the init of a container.
 */
export async function groupEnded(group: number): Promise<void> {
  const deadline = performance.now() + END_LIMIT;
  while (isGroupAlive(group) && performance.now() < deadline) await wait(INTERVAL);
}

/** The leader of the process group of a process: a browser may be started by a script. */
export function leaderOf(pid: number): number {
  const group = readStat(pid)?.group ?? 0;
  return Number.isInteger(group) && group > 1 ? group : pid;
}
