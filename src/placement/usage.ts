import pidtree from 'pidtree';
import pidusage from 'pidusage';
import type { Usage } from './placement.ts';

/** What a process and its descendants use since the last call; null if it has ended. */
export async function processUsage(pid: number): Promise<Usage | null> {
  try {
    const pids = await pidtree(pid, { root: true });
    // Processes that have ended between the two calls are missing.
    const all = Object.values(await pidusage(pids)).filter((one) => one !== null && one !== undefined);
    if (all.length === 0) return null;
    return {
      cpus: all.reduce((sum, { cpu }) => sum + cpu, 0) / 100,
      memory: all.reduce((sum, { memory }) => sum + memory, 0),
      memoryLimit: null,
    };
  } catch {
    // The process has ended, or the platform is not supported.
    return null;
  }
}
