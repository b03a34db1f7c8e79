import type Docker from 'dockerode';
import * as z from 'zod';
import type { Usage } from '../placement.ts';

/** The part of the daemon's answer that is used. Once a container has ended it is empty. */
const statsSchema = z.object({
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number() }) }),
  memory_stats: z.object({
    usage: z.number(),
    limit: z.number().optional(),
    stats: z.record(z.string(), z.number()).optional(),
  }),
});

/** What a container uses, from one question to the next. */
export class UsageMeter {
  readonly #container: Docker.Container;
  #last: { readonly at: number; readonly nanoseconds: number } | null = null;

  constructor(container: Docker.Container) {
    this.#container = container;
  }

  /** Null where the container has ended. Never rejects. */
  async read(): Promise<Usage | null> {
    try {
      const at = performance.now();
      const stats = statsSchema.parse(await this.#container.stats({ stream: false, 'one-shot': true } as never));
      const nanoseconds = stats.cpu_stats.cpu_usage.total_usage;
      const last = this.#last;
      this.#last = { at, nanoseconds };
      const { usage, limit, stats: parts = {} } = stats.memory_stats;
      // Pages of files that can be dropped at any time are not what it needs (cgroup v2, then v1).
      const droppable = parts['inactive_file'] ?? parts['total_inactive_file'] ?? 0;
      return {
        cpus: last === null ? null : Math.max(0, (nanoseconds - last.nanoseconds) / 1e6 / (at - last.at)),
        memory: Math.max(0, usage - droppable),
        memoryLimit: limit ?? null,
      };
    } catch {
      // It has ended meanwhile; a daemon that is gone is told by what runs in it.
      return null;
    }
  }
}
