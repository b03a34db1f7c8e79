import { readFileSync } from 'node:fs';

/** Files with the memory limit of a container: cgroup v2, then v1. */
const GROUPS = [
  { events: '/sys/fs/cgroup/memory.events', limit: '/sys/fs/cgroup/memory.max' },
  {
    events: '/sys/fs/cgroup/memory/memory.oom_control',
    limit: '/sys/fs/cgroup/memory/memory.limit_in_bytes',
  },
] as const;
/** cgroup v1 reports “no limit” as a number near 2^63. */
const NO_LIMIT = 2 ** 60;

/** The memory limit of a container, and how many of its processes the kernel has killed because of it. */
export interface ContainerMemory {
  readonly limitMb: number;
  readonly kills: number;
}

/** Null if there is no memory limit. */
export function containerMemory(): ContainerMemory | null {
  for (const { events, limit } of GROUPS) {
    try {
      const bytes = Number(readFileSync(limit, 'utf8'));
      const kills = /^oom_kill (\d+)$/m.exec(readFileSync(events, 'utf8'))?.[1];
      if (bytes < NO_LIMIT && kills !== undefined) {
        return { limitMb: Math.round(bytes / 1024 / 1024), kills: Number(kills) };
      }
    } catch {
      // A different cgroup version, or a different platform.
    }
  }
  return null;
}
