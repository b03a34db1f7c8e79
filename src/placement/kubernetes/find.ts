import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import type { Capacity } from '../capacity.ts';
import type { KubernetesState } from '../docker/docker.ts';
import { Kubectl } from './kubectl.ts';

/** Time limit of a request, in seconds. */
const REQUEST_LIMIT = 5;
/** Of Kubernetes: since then, an indexed job limits the failures of each index. */
const MIN_MINOR = 29;

/** What lanes do with objects in their namespace, by API group. */
const NEEDED = [
  { group: 'batch', resources: ['jobs'], verbs: ['create', 'get', 'list', 'delete'] },
  { group: 'networking.k8s.io', resources: ['networkpolicies'], verbs: ['create', 'get', 'list', 'delete'] },
  { group: '', resources: ['secrets'], verbs: ['create', 'get', 'list', 'delete'] },
  { group: '', resources: ['pods', 'events'], verbs: ['get', 'list'] },
  { group: '', resources: ['pods/attach'], verbs: ['create'] },
];

const versionSchema = z.object({
  serverVersion: z.object({ major: z.string(), minor: z.string(), gitVersion: z.string() }),
});
const configSchema = z.object({
  'current-context': z.string(),
  contexts: z.array(z.object({ context: z.object({ namespace: z.string().default('default') }) })).min(1),
});
const reviewsSchema = z.array(
  z.object({
    spec: z.object({
      resourceAttributes: z.object({
        verb: z.string(),
        resource: z.string(),
        subresource: z.string().optional(),
      }),
    }),
    status: z.object({ allowed: z.boolean().default(false) }),
  }),
);
const nodesSchema = z.object({
  items: z.array(
    z.object({
      spec: z.object({ unschedulable: z.boolean().default(false) }),
      status: z.object({
        allocatable: z.object({ cpu: z.string(), memory: z.string() }),
        conditions: z.array(z.object({ type: z.string(), status: z.string() })),
      }),
    }),
  ),
});
const SUFFIXES: Readonly<Record<string, number>> = {
  m: 1e-3,
  ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};

/**
 * Whether kubectl has a cluster that can run lanes, and what room that has. Creates nothing. Never rejects.
 * @param namespace null for the one of the context
 */
export async function findKubernetes(namespace: string | null): Promise<KubernetesState> {
  try {
    const kubectl = new Kubectl(namespace, REQUEST_LIMIT);
    const config = configSchema.parse(await kubectl.json(['config', 'view', '--minify']));
    const effectiveNamespace = namespace ?? config.contexts[0]?.context.namespace ?? 'default';
    const [{ serverVersion }, denials, nodes] = await Promise.all([
      kubectl.json(['version']).then((version) => versionSchema.parse(version)),
      deniedIn(kubectl, effectiveNamespace),
      // Lanes do without permission to list nodes.
      nodesOf(kubectl).catch(() => null),
    ]);
    const version = serverVersion.gitVersion.replace(/^v/, '');
    const cluster = {
      found: true,
      context: config['current-context'],
      namespace: effectiveNamespace,
      version,
      nodes,
    } as const;
    // A provider may append to the number: `30+`.
    const isOld = serverVersion.major === '1' && Number.parseInt(serverVersion.minor, 10) < MIN_MINOR;
    const problem = isOld
      ? `Lanes need Kubernetes 1.${MIN_MINOR} or newer`
      : denials.length > 0
        ? `You may not ${denials.join(', ')} in the namespace ${effectiveNamespace}. docs/kubernetes.md lists the permissions that lanes need`
        : null;
    return { ...cluster, problem };
  } catch (error) {
    return { found: false, message: (error as Error).message };
  }
}

/** What the user may not do: `create jobs`. Asks the cluster, which stores nothing of it. */
async function deniedIn(kubectl: Kubectl, namespace: string): Promise<readonly string[]> {
  const reviews = NEEDED.flatMap(({ group, resources, verbs }) =>
    resources.flatMap((name) =>
      verbs.map((verb) => {
        const [resource, subresource] = name.split('/');
        const attributes = { namespace, verb, group, resource, ...defined({ subresource }) };
        return {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: attributes },
        };
      }),
    ),
  );
  const answers = reviewsSchema.parse(await kubectl.create(...reviews));
  return answers.flatMap(({ spec: { resourceAttributes: one }, status }) =>
    status.allowed ? [] : [`${one.verb} ${[one.resource, one.subresource].filter((part) => part).join('/')}`],
  );
}

/** The nodes of the cluster, and the room of those that take pods. */
async function nodesOf(
  kubectl: Kubectl,
): Promise<{ readonly nodes: number; readonly ready: number; readonly room: Capacity }> {
  const { items } = nodesSchema.parse(await kubectl.get(['nodes']));
  const ready = items.filter(
    ({ spec, status }) =>
      !spec.unschedulable && status.conditions.some((one) => one.type === 'Ready' && one.status === 'True'),
  );
  const sum = (of: 'cpu' | 'memory'): number =>
    ready.reduce((total, { status }) => total + readQuantity(status.allocatable[of]), 0);
  const room = { cpus: sum('cpu'), memory: sum('memory'), containers: null };
  return { nodes: items.length, ready: ready.length, room };
}

/** A quantity of Kubernetes, such as `3920m` or `16393244Ki`. */
export function readQuantity(text: string): number {
  const [, number = '', suffix = ''] = /^([\d.]+)(\w*)$/.exec(text) ?? [];
  return Number(number) * (SUFFIXES[suffix] ?? 1);
}
