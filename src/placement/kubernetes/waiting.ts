import * as z from 'zod';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import type { NoLane } from '../lanes/engine.ts';
import { USED } from './manifests.ts';

const stateSchema = z.object({
  waiting: z.object({ reason: z.string().default(''), message: z.string().default('') }).optional(),
  terminated: z.object({ exitCode: z.number(), reason: z.string().default('') }).optional(),
});
const podSchema = z.object({
  metadata: z.object({ name: z.string() }),
  status: z
    .object({
      phase: z.string().default('Pending'),
      podIP: z.string().optional(),
      reason: z.string().default(''),
      message: z.string().default(''),
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().default(''),
            message: z.string().default(''),
          }),
        )
        .default([]),
      initContainerStatuses: z.array(z.object({ state: stateSchema.default({}) })).default([]),
      containerStatuses: z.array(z.object({ state: stateSchema.default({}) })).default([]),
    })
    .prefault({}),
});
export type Pod = z.infer<typeof podSchema>;
const eventSchema = z.object({ reason: z.string().default(''), message: z.string().default('') });

/** Reasons of a container that waits for an image that the node cannot get. */
const IMAGE_REASONS = /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|RegistryUnavailable)$/;

/** Phases of a pod that has ended. */
export const ENDED: ReadonlySet<string> = new Set(['Succeeded', 'Failed']);

/** The items of a list as kubectl prints it. Leaves out what is not understood. */
function itemsOf<T>(list: unknown, schema: z.ZodType<T>): T[] {
  const { items = [] } =
    z
      .object({ items: z.array(z.unknown()) })
      .partial()
      .safeParse(list).data ?? {};
  return items.flatMap((item) => schema.safeParse(item).data ?? []);
}

export function readPods(list: unknown): readonly Pod[] {
  return itemsOf(list, podSchema);
}

export function readPod(pod: unknown): Pod {
  return podSchema.parse(pod);
}

/**
 * Why requested pods do not run; null if they are just starting.
 *
 * @param events of the job, as kubectl lists them: a quota or a policy may refuse all pods
 */
export function whyNoPod(pods: readonly Pod[], events: unknown, limits: ContainerLimits | null): NoLane | null {
  const waiting = pods
    .flatMap(({ status }) => [...status.initContainerStatuses, ...status.containerStatuses])
    .find(({ state }) => IMAGE_REASONS.test(state.waiting?.reason ?? ''))?.state.waiting;
  if (waiting !== undefined) {
    const message = `a node cannot get the image (${waiting.reason}): ${waiting.message}. Name a registry that all nodes reach with --registry`;
    return { code: 'image_unreachable', message };
  }
  const requests = limits === null ? '' : ` A lane requests ${limits.cpus} processors and ${limits.memory} MB.`;
  const orLower = limits === null ? '' : ', or lower the limits of the tasks (metadata.docker)';
  const pending = pods
    .filter(({ status }) => status.phase === 'Pending')
    .flatMap(({ status }) => status.conditions)
    .find(({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable');
  const running = pods.filter(({ status }) => status.phase === 'Running');
  if (pending !== undefined && running.length === 0) {
    return { code: 'no_room', message: `${sentence(pending.message)}${requests} Free or add nodes${orLower}` };
  }
  const refusal = itemsOf(events, eventSchema).findLast(({ reason }) => reason === 'FailedCreate');
  if (pods.length === 0 && refusal !== undefined) {
    const next = `Raise what the namespace allows, or choose another one with --namespace${orLower}`;
    const message = `the cluster refuses pods: ${sentence(refusal.message)}${requests} ${next}`;
    return { code: 'no_room', message };
  }
  // A lane that did not find the relay ends with exit code 0, and is not started again.
  const alone = pods.filter(({ status }) => status.phase === 'Running' || status.phase === 'Succeeded');
  if (limits !== null && alone.length > 0 && alone.length === pods.length) {
    return {
      code: 'overlay_missing',
      message: 'lanes run, but do not reach the relay. Pods of the namespace need the port 7000/tcp of each other',
    };
  }
  const ends = pods.flatMap(({ status }) => (ENDED.has(status.phase) ? [status] : []));
  const failure = ends.findLast(({ containerStatuses: [first] }) => first?.state.terminated?.exitCode !== USED);
  if (failure !== undefined && ends.length === pods.length) {
    const { exitCode, reason = '' } = failure.containerStatuses[0]?.state.terminated ?? {};
    const end = [failure.reason, failure.message, reason, exitCode === undefined ? '' : `exit code ${exitCode}`];
    const message = `all lanes have ended (${end.filter((part) => part !== '').join(', ')})`;
    return { code: 'container_start_failed', message };
  }
  return null;
}

/** A text of the cluster, with one period at its end. */
function sentence(text: string): string {
  return `${text.trim().replace(/\.+$/, '')}.`;
}
