import { availableParallelism, totalmem } from 'node:os';

/** What a machine or a cluster has for environments. */
export interface Capacity {
  readonly cpus: number;
  /** In bytes. */
  readonly memory: number;
  /** Number of containers that run there now, whoever started them; null where environments are not containers. */
  readonly containers: number | null;
}

/** The capacity of this machine. */
export function localCapacity(): Capacity {
  return { cpus: availableParallelism(), memory: totalmem(), containers: null };
}
