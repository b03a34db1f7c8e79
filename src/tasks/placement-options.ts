import * as z from 'zod';
import { PLACEMENT_KINDS } from './placement-kind.ts';
import type { Problem } from './problem.ts';
import type { Json } from './task.ts';

/** Resource limits of one container. */
export const containerLimitsSchema = z.object({
  /** Number of processors, such as 1.5. */
  cpus: z.number().positive(),
  /** Megabytes, without swap. */
  memory: z.number().int().min(256),
  /** Processes and threads. */
  pids: z.number().int().min(32),
  /** `none` disables the network; `bridge` has the access of this machine. */
  network: z.enum(['none', 'bridge']),
});
export type ContainerLimits = z.infer<typeof containerLimitsSchema>;

/** Allowed values of each limit. */
export const LIMIT_WORDS: Readonly<Record<keyof ContainerLimits, string>> = {
  cpus: 'a number of processors above 0, such as 1.5',
  memory: 'whole megabytes, from 256 on',
  pids: 'a whole number of processes, from 32 on',
  network: '"none" or "bridge"',
};

/** Problems in the placement settings of a task's metadata. */
export function placementProblems(metadata: Readonly<Record<string, Json>>): Problem[] {
  const { placement, docker } = metadata;
  const problems: Problem[] = [];
  if (placement !== undefined && !PLACEMENT_KINDS.some((kind) => kind === placement)) {
    problems.push({
      path: ['metadata', 'placement'],
      severity: 'warning',
      code: 'bad-placement',
      message: `"placement" is "local" or "docker", not ${JSON.stringify(placement)}; it is left out`,
    });
  }
  if (docker === undefined) return problems;
  const limits = containerLimitsSchema.partial().safeParse(docker);
  for (const { path } of limits.error?.issues ?? []) {
    const key = (Object.keys(LIMIT_WORDS) as (keyof ContainerLimits)[]).find((one) => one === path[0]);
    const wanted = key === undefined ? 'an object of cpus, memory, pids and network' : LIMIT_WORDS[key];
    problems.push({
      path: ['metadata', 'docker', ...(key === undefined ? [] : [key])],
      severity: 'warning',
      code: 'bad-limits',
      message: `"${key ?? 'docker'}" wants ${wanted}: in Docker this task cannot run`,
    });
  }
  return problems;
}
