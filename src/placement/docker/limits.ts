import * as z from 'zod';

/** What one container may use. */
export const containerLimitsSchema = z.object({
  /** Processors, such as 1.5. */
  cpus: z.number().positive(),
  /** Megabytes; there is no swap beyond it. */
  memory: z.number().int().min(256),
  /** Processes and threads. */
  pids: z.number().int().min(32),
  /** `none` cuts it off wholly; `bridge` reaches what this machine reaches. */
  network: z.enum(['none', 'bridge']),
});
export type ContainerLimits = z.infer<typeof containerLimitsSchema>;

export const DEFAULT_LIMITS: ContainerLimits = { cpus: 2, memory: 2048, pids: 512, network: 'bridge' };
