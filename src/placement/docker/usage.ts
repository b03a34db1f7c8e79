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

/** Measures what a container uses between two calls. */
export class UsageMeter {
  readonly #container: Docker.Container;
  #last: { readonly at: number; readonly nanoseconds: number } | null = null;

  constructor(container: Docker.Container) {
    this.#container = container;
  }

  /** Null if the container has ended. Never rejects. */
  async read(): Promise<Usage | null> {
    try {
      const at = performance.now();
      const stats = statsSchema.parse(await this.#container.stats({ stream: false, 'one-shot': true } as never));
      const nanoseconds = stats.cpu_stats.cpu_usage.total_usage;
      const last = this.#last;
      this.#last = { at, nanoseconds };
      const { usage, limit, stats: parts = {} } = stats.memory_stats;
      // The page cache can be freed at any time (cgroup v2, then v1).
      const droppable = parts['inactive_file'] ?? parts['total_inactive_file'] ?? 0;
      return {
        cpus: last === null ? null : Math.max(0, (nanoseconds - last.nanoseconds) / 1e6 / (at - last.at)),
        memory: Math.max(0, usage - droppable),
        memoryLimit: limit ?? null,
      };
    } catch {
      // The container has ended; an unreachable daemon is reported elsewhere.
      return null;
    }
  }
}
