import pidtree from 'pidtree';
import pidusage from 'pidusage';
import type { Usage } from './placement.ts';

/** What a process and all below it use, since this was last asked about them; null where it has ended. */
export async function processUsage(pid: number): Promise<Usage | null> {
  try {
    const pids = await pidtree(pid, { root: true });
    // Those that end between the two questions are not there in the answer.
    const all = Object.values(await pidusage(pids)).filter((one) => one !== null && one !== undefined);
    if (all.length === 0) return null;
    return {
      cpus: all.reduce((sum, { cpu }) => sum + cpu, 0) / 100,
      memory: all.reduce((sum, { memory }) => sum + memory, 0),
      memoryLimit: null,
    };
  } catch {
    // It has ended meanwhile, or this system does not tell: then no figures are shown.
    return null;
  }
}
