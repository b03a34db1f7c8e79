import * as z from 'zod';
import type { JsonObject } from '../base/json.ts';
import { TASK_PLACEMENTS } from './placement-kind.ts';
import { type Problem, warning } from './problem.ts';

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
  cpus: 'a number greater than 0, such as 1.5',
  memory: 'an integer of at least 256 (megabytes)',
  pids: 'an integer of at least 32',
  network: '"none" or "bridge"',
};

/** Problems in the placement settings of a task's metadata. */
export function placementProblems(metadata: JsonObject): Problem[] {
  const { placement, docker } = metadata;
  const problems: Problem[] = [];
  if (placement !== undefined && !TASK_PLACEMENTS.some((kind) => kind === placement)) {
    const message = `"placement" must be "local" or "docker", not ${JSON.stringify(placement)}; it is ignored`;
    problems.push(warning('bad-placement', ['metadata', 'placement'], message));
  }
  if (docker === undefined) return problems;
  const limits = containerLimitsSchema.partial().safeParse(docker);
  for (const { path } of limits.error?.issues ?? []) {
    const key = (Object.keys(LIMIT_WORDS) as (keyof ContainerLimits)[]).find((one) => one === path[0]);
    const form = key === undefined ? 'an object with cpus, memory, pids, and network' : LIMIT_WORDS[key];
    const message = `"${key ?? 'docker'}" must be ${form}; otherwise the task cannot run in Docker`;
    problems.push(warning('bad-limits', ['metadata', 'docker', ...(key === undefined ? [] : [key])], message));
  }
  return problems;
}
