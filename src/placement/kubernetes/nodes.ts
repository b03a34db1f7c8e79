import * as z from 'zod';
import type { SwarmState } from '../docker/docker.ts';
import { Kubectl } from './kubectl.ts';

const nodeSchema = z.object({
  spec: z.object({ unschedulable: z.boolean().default(false) }),
  status: z.object({
    allocatable: z.object({ cpu: z.string(), memory: z.string() }),
    conditions: z.array(z.object({ type: z.string(), status: z.string() })),
  }),
});
const SUFFIXES: Readonly<Record<string, number>> = {
  m: 1e-3,
  ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};

/** Whether kubectl has a cluster, and what room that has. `namespace`: null for the one of the context. Never rejects. */
export async function findKubernetes(namespace: string | null): Promise<SwarmState> {
  try {
    const kubectl = new Kubectl(namespace);
    const { items } = z.object({ items: z.array(nodeSchema) }).parse(await kubectl.get('nodes'));
    const ready = items.filter(
      ({ spec, status }) =>
        !spec.unschedulable && status.conditions.some((one) => one.type === 'Ready' && one.status === 'True'),
    );
    const sum = (of: 'cpu' | 'memory'): number =>
      ready.reduce((total, { status }) => total + readQuantity(status.allocatable[of]), 0);
    const room = { cpus: sum('cpu'), memory: sum('memory'), containers: null };
    return { found: true, nodes: items.length, ready: ready.length, room };
  } catch (error) {
    return { found: false, message: (error as Error).message };
  }
}

/** A quantity of Kubernetes, such as `3920m` or `16393244Ki`. */
export function readQuantity(text: string): number {
  const [, number = '', suffix = ''] = /^([\d.]+)(\w*)$/.exec(text) ?? [];
  return Number(number) * (SUFFIXES[suffix] ?? 1);
}
