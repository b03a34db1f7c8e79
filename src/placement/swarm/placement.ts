import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import * as z from 'zod';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import { type DockerError, dockerMessage } from '../docker/attached-container.ts';
import { Images } from '../docker/build.ts';
import { connect } from '../docker/connection.ts';
import { type ContainerSecurity, IMAGE_USER, readSeccomp } from '../docker/create-options.ts';
import type { SwarmPlacementOptions } from '../docker/docker.ts';
import { OWNER_LABEL, thisOwner } from '../docker/owner.ts';
import {
  type LaneEngine,
  type LaneGroup,
  type NoLane,
  type RunningRelay,
  type TaskEnd,
  untilReported,
} from '../lanes/engine.ts';
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

class SwarmEngine implements LaneEngine<SwarmImage> {
  readonly #swarm: Swarm;

  constructor(swarm: Swarm) {
    this.#swarm = swarm;
  }

  ensureImage(kind: string, progress: (text: string) => void, signal: AbortSignal): Promise<SwarmImage> {
    return this.#swarm.images.ensure(kind, progress, signal);
  }

  startRelay({ image, secret, onLane }: Parameters<LaneEngine<SwarmImage>['startRelay']>[0]): Promise<RunningRelay> {
    const { docker, network, security, log } = this.#swarm;
    const name = `${network.name}-relay`;
    return startRelay(docker, {
      ...{ name, image: image.tag, network: network.name, owner: security.owner },
      ...{ secret, onLane, log },
    });
  }

  async startLanes({ image, ...group }: LaneGroup<SwarmImage>): Promise<void> {
    const { docker, network, security } = this.#swarm;
    const { reference, without, auth } = image;
    const service = laneService({ ...group, image: reference, network: network.id, without }, security);
    await docker.createService(auth ?? {}, service).catch((error: DockerError) => {
      const message = `Docker could not create a service: ${dockerMessage(error)}`;
      throw new ServerError('container_create_failed', message, { cause: error });
    });
  }

  async whyNoLane(name: string, limits: ContainerLimits): Promise<NoLane | null> {
    return whyNoLane(await this.#swarm.docker.listTasks({ filters: { service: [name] } }), limits);
  }

  async endOf(id: string): Promise<TaskEnd | null> {
    return untilReported(async () => {
      const { Status } = taskSchema.parse(await this.#swarm.docker.getTask(id).inspect());
      const end = { exitCode: Status.ContainerStatus?.ExitCode ?? null, error: Status.Err };
      return { end, isRunning: Status.State === 'running' };
    });
  }

  /** Removes services, relay, and network. */
  async remove(): Promise<void> {
    const { docker, security, endGuard } = this.#swarm;
    await removeOwned(docker, security.owner);
    endGuard();
  }
}

/** Connects to a manager and creates the internal network of the lanes. */
async function connectSwarm(options: SwarmPlacementOptions): Promise<SwarmEngine> {
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
  return new SwarmEngine({
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
