import * as z from 'zod';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import type { NoLane } from '../lanes/engine.ts';

const taskSchema = z.object({
  DesiredState: z.string(),
  Status: z.object({ State: z.string(), Message: z.string().default(''), Err: z.string().default('') }),
});

/** Why the lanes of a service do not run, from its tasks as Docker lists them; null if they are just starting. */
export function whyNoLane(list: readonly unknown[], limits: ContainerLimits): NoLane | null {
  const tasks = list.flatMap((task) => taskSchema.safeParse(task).data ?? []);
  const image = tasks.find(({ Status }) => Status.State === 'rejected' && /image/i.test(Status.Err));
  if (image !== undefined) {
    const message = `a node cannot get the image: ${image.Status.Err}. Name a registry that all nodes reach with --registry`;
    return { code: 'image_unreachable', message };
  }
  const current = tasks.filter(({ DesiredState }) => DesiredState === 'running');
  const running = current.filter(({ Status }) => Status.State === 'running');
  const pending = current.find(({ Status }) => Status.State === 'pending' && Status.Err !== '');
  if (pending !== undefined && running.length === 0) {
    const message = `${pending.Status.Err}. A lane reserves ${limits.cpus} processors and ${limits.memory} MB (metadata.docker). Give tasks smaller limits, or add nodes to the swarm`;
    return { code: 'no_room', message };
  }
  // A lane that did not find the relay ends with exit code 0, and is not started again.
  const completed = tasks.filter(({ Status }) => Status.State === 'complete');
  if (running.length + completed.length > 0 && running.length === current.length) {
    const message =
      'lanes run, but do not reach the relay. Nodes need the ports 7946/tcp, 7946/udp, and 4789/udp of each other';
    return { code: 'overlay_missing', message };
  }
  return null;
}
