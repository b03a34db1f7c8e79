import { setTimeout as wait } from 'node:timers/promises';
import { patient } from '../../base/patience.ts';

/** How long the processes of a killed group may take to end, in ms. */
const END_LIMIT = patient(2_000);
/** How often to look whether they have ended, in ms. */
const INTERVAL = 10;

/** Whether a process group has processes, ended ones that nobody has waited for included. False if they belong to other users. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    // It has no processes, or only those of other users.
    return false;
  }
}

/** Kills the processes of a group, if it has any. macOS answers EPERM if they have ended but nobody has waited for them. */
export function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
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
