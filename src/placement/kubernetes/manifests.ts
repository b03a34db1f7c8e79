import type { Job } from 'kubernetes-types/batch/v1';
import type { Capabilities, PodSpec, Secret, Volume } from 'kubernetes-types/core/v1';
import type { LabelSelector, ObjectMeta } from 'kubernetes-types/meta/v1';
import type { NetworkPolicy, NetworkPolicyEgressRule, NetworkPolicySpec } from 'kubernetes-types/networking/v1';
import { AGENT_HOME } from '../../environments/workspace/agent-user.ts';
import { RELAY } from '../../server/lane/hello.ts';
import { agentIdOf, createOptions, IMAGE_USER } from '../docker/create-options.ts';
import type { LaneGroup } from '../lanes/engine.ts';

const PROGRAM = '/opt/taskwright/dist/lane.js';
/** Labels of everything that is created: of which placement, and what it is. */
export const LANES_LABEL = 'taskwright/lanes';
export const ROLE_LABEL = 'taskwright/role';
export const GROUP_LABEL = 'taskwright/group';
const RELAY_PORTS = [{ protocol: 'TCP', port: RELAY.port }];
/** The key of the secret. */
const SECRET_KEY = 'secret';
/** How long Kubernetes keeps a job that has ended, in seconds. With the job of the relay it removes everything else. */
const RETENTION_SECONDS = 30;
/** Ends a relay that never gets an owner, in seconds. */
const LONGEST = 24 * 60 * 60;
/** Maximum number of replacements for a lost lane. */
const LANE_RETRIES = 20;
/** Exit code of a lane that was used and must start afresh. */
export const USED = 1;

/** The job of the relay, with which Kubernetes removes everything else. */
export interface RelayOwner {
  /** Also the name of the secret, and the value of the label. */
  readonly name: string;
  readonly uid: string;
}

/** The job of the relay, which joins lanes to its standard streams. It ends when standard input closes. */
export function relayJob(name: string, image: string): Job {
  const labels = { [LANES_LABEL]: name, [ROLE_LABEL]: 'relay' };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels },
    spec: {
      // A second relay would have no owner.
      backoffLimit: 0,
      activeDeadlineSeconds: LONGEST,
      ttlSecondsAfterFinished: RETENTION_SECONDS,
      template: {
        metadata: { labels },
        spec: {
          ...podSpec(IMAGE_USER),
          containers: [
            {
              name: 'relay',
              image,
              command: ['node', PROGRAM, 'relay'],
              stdin: true,
              stdinOnce: true,
              ports: [{ containerPort: RELAY.port }],
              securityContext: securityContext(),
              resources: { requests: { cpu: '100m', memory: '512Mi' }, limits: { memory: '512Mi' } },
            },
          ],
        },
      },
    },
  };
}

/** The secret of the lanes, and who may connect to the relay: lanes only. */
export function relayExtras(owner: RelayOwner, secret: string): readonly [Secret, NetworkPolicy] {
  const { name } = owner;
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: metadata(owner, name), stringData: { [SECRET_KEY]: secret } },
    networkPolicy(metadata(owner, name), {
      podSelector: podsOf(owner, 'relay'),
      ingress: [{ from: [{ podSelector: podsOf(owner, 'lane') }], ports: RELAY_PORTS }],
      egress: [],
    }),
  ];
}

/**
 * The lanes of a group: an indexed job whose pods are restricted like the containers of a Docker placement and request what
 * their limits are, and a network policy that leads to the relay and, with the network `bridge`, anywhere.
 *
 * @param relay the address of the relay's pod
 */
export function laneObjects(owner: RelayOwner, group: LaneGroup<string>, relay: string): readonly [Job, NetworkPolicy] {
  const { name, image, kind, limits, lanes } = group;
  const security = { owner: '', seccomp: '', user: IMAGE_USER };
  const { Cmd, Env, HostConfig } = createOptions({ image, kind, limits, folder: null, miniwob: null }, security);
  const { ShmSize = 0, Memory = 0, CapAdd } = HostConfig ?? {};
  const agent = agentIdOf(kind, IMAGE_USER);
  const quantities = { cpu: `${Math.round(limits.cpus * 1000)}m`, memory: `${limits.memory}Mi` };
  const labels = { [LANES_LABEL]: owner.name, [ROLE_LABEL]: 'lane', [GROUP_LABEL]: name };
  const folders: { readonly path: string; readonly volume: Volume }[] = [
    { path: '/tmp', volume: memory('tmp', Memory / 2) },
    { path: '/run', volume: memory('run', Memory / 16) },
    { path: '/dev/shm', volume: memory('shm', ShmSize) },
    ...(agent === null
      ? []
      : [{ path: AGENT_HOME, volume: { name: 'home', emptyDir: { sizeLimit: String(Memory) } } }]),
  ];
  const volumeMounts = folders.map(({ path, volume }) => ({ name: volume.name, mountPath: path }));
  const field = (variable: string, fieldPath: string) => ({ name: variable, valueFrom: { fieldRef: { fieldPath } } });
  const anywhere: NetworkPolicyEgressRule[] = limits.network === 'none' ? [] : [{}];
  return [
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { ...metadata(owner, name), labels },
      spec: {
        completionMode: 'Indexed',
        parallelism: lanes,
        completions: lanes,
        backoffLimitPerIndex: LANE_RETRIES,
        ttlSecondsAfterFinished: RETENTION_SECONDS,
        podFailurePolicy: {
          rules: [
            // Neither is a failure of the lane.
            { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
            { action: 'Ignore', onExitCodes: { operator: 'In', values: [USED] } },
          ],
        },
        template: {
          metadata: { labels },
          spec: {
            ...podSpec(agent === null ? IMAGE_USER : { uid: 0, gid: 0 }),
            ...(agent !== null && {
              initContainers: [
                {
                  name: 'folders',
                  image,
                  // Volumes belong to root, and anybody may write to them.
                  command: [
                    ...['sh', '-c'],
                    `chmod 1777 /tmp /dev/shm && chmod 755 /run && chmod 755 ${AGENT_HOME} && chown ${agent}:${agent} ${AGENT_HOME}`,
                  ],
                  volumeMounts,
                  securityContext: securityContext(['CHOWN']),
                  resources: { requests: quantities, limits: quantities },
                },
              ],
            }),
            containers: [
              {
                name: 'lane',
                image,
                command: ['node', PROGRAM, 'lane', ...(agent === null ? [] : ['--once']), ...(Cmd ?? [])],
                env: [
                  ...(Env ?? []).map(readVariable),
                  // The lane keeps these from the server and from everything that it starts, unlike a mounted file.
                  { name: 'LANE_SECRET', valueFrom: { secretKeyRef: { name: owner.name, key: SECRET_KEY } } },
                  { name: 'LANE_RELAY', value: `${relay}:${RELAY.port}` },
                  { name: 'LANE_USER', value: `${IMAGE_USER.uid}:${IMAGE_USER.gid}` },
                  { name: 'LANE_SERVICE', value: name },
                  field('LANE_TASK', 'metadata.name'),
                  field('LANE_NODE', 'spec.nodeName'),
                  field('LANE_SLOT', "metadata.annotations['batch.kubernetes.io/job-completion-index']"),
                ],
                volumeMounts,
                securityContext: securityContext(CapAdd),
                resources: { requests: quantities, limits: quantities },
              },
            ],
            volumes: folders.map(({ volume }) => volume),
          },
        },
      },
    },
    networkPolicy(
      { ...metadata(owner, name), labels },
      {
        podSelector: { matchLabels: { [GROUP_LABEL]: name } },
        ingress: [],
        egress: [{ to: [{ podSelector: podsOf(owner, 'relay') }], ports: RELAY_PORTS }, ...anywhere],
      },
    ),
  ];
}

function podsOf({ name }: RelayOwner, role: 'relay' | 'lane'): LabelSelector {
  return { matchLabels: { [LANES_LABEL]: name, [ROLE_LABEL]: role } };
}

/** A policy for both directions. */
function networkPolicy(metadata: ObjectMeta, spec: NetworkPolicySpec): NetworkPolicy {
  const policyTypes = ['Ingress', 'Egress'];
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec: { ...spec, policyTypes } };
}

function metadata(owner: RelayOwner, name: string): ObjectMeta {
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', ...owner }];
  return { name, labels: { [LANES_LABEL]: owner.name }, ownerReferences };
}

/** What all pods have in common. They cannot speak to the cluster. */
function podSpec({ uid, gid }: { readonly uid: number; readonly gid: number }): Omit<PodSpec, 'containers'> {
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 5,
    securityContext: {
      runAsUser: uid,
      runAsGroup: gid,
      runAsNonRoot: uid !== 0,
      seccompProfile: { type: 'RuntimeDefault' },
    },
  };
}

function securityContext(capabilities?: readonly string[]): {
  allowPrivilegeEscalation: boolean;
  readOnlyRootFilesystem: boolean;
  capabilities: Capabilities;
} {
  return {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'], ...(capabilities !== undefined && { add: [...capabilities] }) },
  };
}

/** A folder in memory. */
function memory(name: string, bytes: number): Volume {
  return { name, emptyDir: { medium: 'Memory', sizeLimit: String(Math.floor(bytes)) } };
}

function readVariable(text: string): { name: string; value: string } {
  const at = text.indexOf('=');
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}
