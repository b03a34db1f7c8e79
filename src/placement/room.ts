import { availableParallelism, totalmem } from 'node:os';

/** What a place has for environments. */
export interface Room {
  readonly cpus: number;
  /** In bytes. */
  readonly memory: number;
  /** Number of containers that run there now, whoever started them; null where environments are no containers. */
  readonly containers: number | null;
}

/** The room of this machine. */
export function localRoom(): Room {
  return { cpus: availableParallelism(), memory: totalmem(), containers: null };
}
