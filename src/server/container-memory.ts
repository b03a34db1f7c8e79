import { readFileSync } from 'node:fs';

/** Where the kernel tells a container of its memory: control groups version 2, then version 1. */
const GROUPS = [
  { events: '/sys/fs/cgroup/memory.events', limit: '/sys/fs/cgroup/memory.max' },
  {
    events: '/sys/fs/cgroup/memory/memory.oom_control',
    limit: '/sys/fs/cgroup/memory/memory.limit_in_bytes',
  },
] as const;
/** Version 1 says “no limit” as a number near 2^63. */
const NO_LIMIT = 2 ** 60;

/** What a container may use, and how often the kernel has killed one of its processes for wanting more. */
export interface ContainerMemory {
  readonly limitMb: number;
  readonly kills: number;
}

/** Null where nothing limits the memory of all processes together. */
export function containerMemory(): ContainerMemory | null {
  for (const { events, limit } of GROUPS) {
    try {
      const bytes = Number(readFileSync(limit, 'utf8'));
      const kills = /^oom_kill (\d+)$/m.exec(readFileSync(events, 'utf8'))?.[1];
      if (bytes < NO_LIMIT && kills !== undefined) {
        return { limitMb: Math.round(bytes / 1024 / 1024), kills: Number(kills) };
      }
    } catch {
      // Another version, another system.
    }
  }
  return null;
}
