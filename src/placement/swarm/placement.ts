import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import * as z from 'zod';
import { type DockerError, dockerMessage } from '../docker/attached-container.ts';
import { Images } from '../docker/build.ts';
import { connect } from '../docker/connection.ts';
import { type ContainerSecurity, IMAGE_USER, readSeccomp } from '../docker/create-options.ts';
import type { SwarmPlacementOptions } from '../docker/docker.ts';
import { OWNER_LABEL, thisOwner } from '../docker/owner.ts';
import { type LaneEngine, untilReported } from '../lanes/engine.ts';
import { LanePlacement } from '../lanes/placement.ts';
import { type Placement, ServerError } from '../placement.ts';
import { connectManager } from './connect-manager.ts';
import { startGuard } from './guard.ts';
import { type SwarmImage, SwarmImages } from './images.ts';
import { startRelay } from './relay.ts';
import { removeAbandonedLanes, removeOwned } from './remove.ts';
import { laneService } from './service.ts';
import { whyNoLane } from './waiting.ts';

const taskSchema = z.object({
  Status: z.object({
    State: z.string(),
    Err: z.string().default(''),
    ContainerStatus: z.object({ ExitCode: z.number().optional() }).optional(),
  }),
});

/** Environments in lanes: tasks of services of Docker Swarm, which run wherever the swarm has room for them. */
export function swarmPlacement(options: SwarmPlacementOptions): Placement {
  return new LanePlacement({ ...options, kind: 'swarm', name: 'Docker Swarm', connect: () => connectSwarm(options) });
}

interface Swarm {
  readonly docker: Docker;
  readonly images: SwarmImages;
  readonly security: ContainerSecurity;
  /** Name of the internal network, and its id. */
  readonly network: { readonly name: string; readonly id: string };
  endGuard(): void;
  log(text: string): void;
}

function swarmEngine({ docker, images, security, network, endGuard, log }: Swarm): LaneEngine<SwarmImage> {
  return {
    ensureImage: (kind, progress, signal) => images.ensure(kind, progress, signal),
    startRelay: ({ image, secret, onLane }) =>
      startRelay(docker, {
        ...{ name: `${network.name}-relay`, image: image.tag, network: network.name, owner: security.owner },
        ...{ secret, onLane, log },
      }),
    async startLanes({ image, ...group }) {
      const { reference, without, auth } = image;
      const service = laneService({ ...group, image: reference, network: network.id, without }, security);
      await docker.createService(auth ?? {}, service).catch((error: DockerError) => {
        const message = `Docker could not create a service: ${dockerMessage(error)}`;
        throw new ServerError('container_create_failed', message, { cause: error });
      });
    },
    whyNoLane: async (name, limits) => whyNoLane(await docker.listTasks({ filters: { service: [name] } }), limits),
    endOf: (id) =>
      untilReported(async () => {
        const { Status } = taskSchema.parse(await docker.getTask(id).inspect());
        const end = { exitCode: Status.ContainerStatus?.ExitCode ?? null, error: Status.Err };
        return { end, isRunning: Status.State === 'running' };
      }),
    async remove() {
      await removeOwned(docker, security.owner);
      endGuard();
    },
  };
}

/** Connects to a manager and creates the internal network of the lanes. */
async function connectSwarm(options: SwarmPlacementOptions): Promise<LaneEngine<SwarmImage>> {
  const { installation, registry, hosts, log, onBuild } = options;
  const [manager, ...others] = hosts;
  const { docker } = await connectManager({ host: manager });
  const self = await thisOwner();
  const name = `taskwright-${randomBytes(6).toString('hex')}`;
  // Each placement of this process removes only what is its own.
  const owner = JSON.stringify({ ...self, placement: name });
  void removeAbandonedLanes(docker, self).then(
    (removed) => {
      for (const what of removed) log(`Removed the ${what}, which a killed process had left in the swarm`);
    },
    (error: Error) => log(`What killed processes have left in the swarm could not be removed: ${error.message}`),
  );
  const endGuard = startGuard(installation, manager, owner);
  const network = await docker
    .createNetwork({
      Name: name,
      Driver: 'overlay',
      Internal: true,
      Attachable: true,
      Labels: { [OWNER_LABEL]: owner },
    })
    .catch((error: DockerError) => {
      endGuard();
      const message = `Docker could not create an overlay network: ${dockerMessage(error)}`;
      throw new ServerError('overlay_missing', message, { cause: error });
    });
  return swarmEngine({
    docker,
    images: new SwarmImages({
      images: new Images(installation, onBuild),
      registry,
      manager: docker,
      others: () => Promise.all(others.map((host) => connect({ host }))),
      onNodesWithout: (without, all) => options.onNodesWithoutImages(without, all),
    }),
    security: { owner, seccomp: await readSeccomp(installation), user: IMAGE_USER },
    network: { name, id: network.id },
    endGuard,
    log,
  });
}
