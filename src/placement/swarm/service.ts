import type Docker from 'dockerode';
import { AGENT_HOME } from '../../environments/workspace/agent-user.ts';
import { RELAY } from '../../server/lane/hello.ts';
import {
  ATTACHED,
  type ContainerSecurity,
  type ContainerSpec,
  createOptions,
  IMAGE_USER,
} from '../docker/create-options.ts';
import { runsCommands } from '../docker/image.ts';
import { KIND_LABEL, OWNER_LABEL } from '../docker/owner.ts';

const PROGRAM = '/opt/taskwright/dist/lane.js';
const RELAY_MEMORY = 512 * 1024 * 1024;

/** Everything that lanes of the same service have in common. */
export interface LaneSpec {
  /** Name of the service. */
  readonly name: string;
  /** The image as nodes know it: a name with a digest, or an id. */
  readonly image: string;
  readonly kind: ContainerSpec['kind'];
  readonly limits: ContainerSpec['limits'];
  readonly lanes: number;
  /** Id of the internal network. */
  readonly network: string;
  readonly secret: string;
  /** Ids of nodes that do not have the image. */
  readonly without: readonly string[];
}

/**
 * The service whose tasks are lanes. They are restricted like the containers of a Docker placement and reserve what their
 * limits are. Swarm starts a lane again that was lost with its node or ends with an error: when it was used and must start
 * afresh. One that ends without an error has no owner any more.
 */
export function laneService(spec: LaneSpec, security: ContainerSecurity): Docker.CreateServiceOptions {
  const { image, kind, limits } = spec;
  const { Cmd, User, Env, HostConfig } = createOptions({ image, kind, limits, folder: null, miniwob: null }, security);
  const { CapAdd, ShmSize = 0, NanoCpus, Memory = 0, PidsLimit } = HostConfig ?? {};
  const seccomp = { Mode: 'custom', Profile: Buffer.from(security.seccomp, 'utf8').toString('base64') };
  const labels = { [OWNER_LABEL]: security.owner, [KIND_LABEL]: kind };
  // Files of the agent's programs would be there in the next run.
  const isOnce = runsCommands(kind);
  return {
    Name: spec.name,
    Labels: labels,
    Mode: { Replicated: { Replicas: spec.lanes } },
    EndpointSpec: { Mode: 'dnsrr' },
    TaskTemplate: {
      ContainerSpec: {
        Image: image,
        Labels: labels,
        Command: ['node', PROGRAM, 'lane', ...(isOnce ? ['--once'] : []), ...(Cmd ?? [])],
        User,
        Env: [
          ...(Env ?? []),
          `LANE_USER=${security.user.uid}:${security.user.gid}`,
          `LANE_SECRET=${spec.secret}`,
          `LANE_SERVICE=${spec.name}`,
          'LANE_TASK={{.Task.ID}}',
          'LANE_SLOT={{.Task.Slot}}',
          'LANE_NODE={{.Node.Hostname}}',
        ],
        Init: true,
        ReadOnly: true,
        CapabilityDrop: ['ALL'],
        ...(CapAdd && { CapabilityAdd: CapAdd }),
        Privileges: { NoNewPrivileges: true, Seccomp: seccomp },
        Mounts: [
          memory('/tmp', Memory / 2, 0o1777),
          memory('/run', Memory / 16, 0o755),
          memory('/dev/shm', ShmSize, 0o1777),
          // Nothing in a mount in memory can be executed. A volume takes its owner from the image, and goes with its lane.
          ...(isOnce ? [{ Type: 'volume', Target: AGENT_HOME }] : []),
        ],
        StopGracePeriod: 5e9,
      },
      Resources: {
        Limits: { NanoCPUs: NanoCpus, MemoryBytes: Memory, Pids: PidsLimit },
        Reservations: { NanoCPUs: NanoCpus, MemoryBytes: Memory },
      },
      RestartPolicy: { Condition: 'on-failure', Delay: 0 },
      Placement: { Constraints: spec.without.map((node) => `node.id!=${node}`) },
      // The internal network leads to the relay only; the network of the node leads out.
      Networks: [{ Target: spec.network }, ...(limits.network === 'none' ? [] : [{ Target: 'bridge' }])],
      LogDriver: { Name: 'none' },
    },
  } as Docker.CreateServiceOptions;
}

/** A folder in memory, which belongs to root: volumes that have an owner are left behind. */
function memory(target: string, bytes: number, mode: number): object {
  return { Type: 'tmpfs', Target: target, TmpfsOptions: { SizeBytes: Math.floor(bytes), Mode: mode } };
}

/** The container that joins lanes to its standard streams. It ends when standard input closes. */
export function relayContainer(options: {
  readonly name: string;
  readonly image: string;
  /** Name of the internal network. */
  readonly network: string;
  readonly owner: string;
}): Docker.ContainerCreateOptions {
  const { name, image, network, owner } = options;
  return {
    name,
    Image: image,
    Cmd: ['node', PROGRAM, 'relay'],
    User: `${IMAGE_USER.uid}:${IMAGE_USER.gid}`,
    Labels: { [OWNER_LABEL]: owner, [KIND_LABEL]: 'relay' },
    ...ATTACHED,
    NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [RELAY.host] } } },
    HostConfig: {
      AutoRemove: true,
      Init: true,
      NetworkMode: network,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Memory: RELAY_MEMORY,
      MemorySwap: RELAY_MEMORY,
      PidsLimit: 64,
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}
