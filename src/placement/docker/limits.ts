import { type ContainerLimits, containerLimitsSchema } from '../../tasks/placement-options.ts';
import type { Task } from '../../tasks/task.ts';
import { ServerError } from '../placement.ts';

export const DEFAULT_LIMITS: ContainerLimits = { cpus: 2, memory: 2048, pids: 512, network: 'bridge' };

/** The limits for the container of a task: `metadata.docker`, else the settings, else `DEFAULT_LIMITS`. */
export function limitsOf(task: Task, settings: Partial<ContainerLimits>): ContainerLimits {
  const docker = task.metadata['docker'];
  const result = containerLimitsSchema.partial().safeParse(docker ?? {});
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) => `${['docker', ...path].join('.')}: ${message}`);
    throw new ServerError(
      'bad_limits',
      `The container limits in the task's metadata are invalid: ${problems.join('; ')}. Supported keys: cpus (a number), memory (megabytes, at least 256), pids (at least 32), and network (none or bridge).`,
    );
  }
  const limits = Object.fromEntries(Object.entries(result.data).filter(([, value]) => value !== undefined));
  return { ...DEFAULT_LIMITS, ...settings, ...limits };
}
