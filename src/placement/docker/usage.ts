import type Docker from 'dockerode';
import * as z from 'zod';
import type { Usage } from '../placement.ts';

/** The part of the answer of the daemon that is used. It is empty once a container has ended. */
const statsSchema = z.object({
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number() }) }),
  memory_stats: z.object({
    usage: z.number(),
    limit: z.number().optional(),
    stats: z.record(z.string(), z.number()).optional(),
  }),
});

/** Measures what a container uses between two calls; null if it has ended. Never rejects. */
export function usageMeter(container: Docker.Container): () => Promise<Usage | null> {
  let last: { readonly at: number; readonly nanoseconds: number } | null = null;
  return async () => {
    try {
      const at = performance.now();
      const stats = statsSchema.parse(await container.stats({ stream: false, 'one-shot': true } as never));
      const nanoseconds = stats.cpu_stats.cpu_usage.total_usage;
      const cpus = last === null ? null : Math.max(0, (nanoseconds - last.nanoseconds) / 1e6 / (at - last.at));
      last = { at, nanoseconds };
      const { usage, limit, stats: parts = {} } = stats.memory_stats;
      // The page cache can be freed at any time (cgroup v2, then v1).
      const droppable = parts['inactive_file'] ?? parts['total_inactive_file'] ?? 0;
      return { cpus, memory: Math.max(0, usage - droppable), memoryLimit: limit ?? null };
    } catch {
      // The container has ended; an unreachable daemon is reported elsewhere.
      return null;
    }
  };
}
