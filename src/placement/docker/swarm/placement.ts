import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type Docker from 'dockerode';
import * as z from 'zod';
import { BROWSER_IMAGE } from '../../../environments/kind.ts';
import { environmentKind, kindOfType } from '../../../environments/kinds.ts';
import type { ContainerLimits } from '../../../tasks/placement-options.ts';
import type { Task } from '../../../tasks/task.ts';
import { untilAborted } from '../../../tasks/until-aborted.ts';
import { withLocalPaths } from '../../local-paths.ts';
import { portsOfLocalSites } from '../../local-sites.ts';
import { type Lease, type OpenOptions, type Placement, type RunningEnvironment, ServerError } from '../../placement.ts';
import { filesFor } from '../../task-folder.ts';
import { openTunnel } from '../../tunnel.ts';
import { Images } from '../build.ts';
import { connect } from '../connection.ts';
import { type DockerError, dockerMessage } from '../container.ts';
import type { ContainerSecurity } from '../create-options.ts';
import type { SwarmPlacementOptions } from '../docker.ts';
import { limitsOf } from '../limits.ts';
import { OWNER_LABEL, thisOwner } from '../owner.ts';
import { startGuard } from './guard.ts';
import type { Lane } from './hub.ts';
import { SwarmImages } from './images.ts';
import { connectManager } from './manager.ts';
import { LaneQueue } from './queue.ts';
import { type RunningRelay, startRelay } from './relay.ts';
import { removeAbandonedLanes, removeOwned } from './remove.ts';
import { LaneServer, type TaskEnd } from './server.ts';
import { laneService } from './service.ts';
import { whyNoLane } from './waiting.ts';

/** How often to ask what keeps lanes away while runs wait, and how long they may all be away, in ms. */
const LOOK_PERIOD = 1_000;
const NO_LANE_LIMIT = 60_000;
const USER = { uid: 10_001, gid: 10_001 };

const taskSchema = z.object({
  Status: z.object({
    Err: z.string().default(''),
    ContainerStatus: z.object({ ExitCode: z.number().optional() }).optional(),
  }),
});

/** What all lanes share. */
interface Base {
  readonly docker: Docker;
  readonly images: SwarmImages;
  readonly security: ContainerSecurity;
  readonly secret: string;
  /** Name of the internal network, and its id. */
  readonly network: { readonly name: string; readonly id: string };
  relay: Promise<RunningRelay> | null;
  readonly endGuard: () => void;
}

/** The lanes of one service. */
interface Group {
  readonly service: string;
  readonly limits: ContainerLimits;
  readonly queue: LaneQueue<LaneServer>;
  /** Resolves when the service exists. */
  readonly created: Promise<void>;
}

/** Environments in lanes: tasks of services of Docker Swarm, which run wherever the swarm has room for them. */
export function swarmPlacement(options: SwarmPlacementOptions): Placement {
  return new SwarmPlacement(options);
}

class SwarmPlacement implements Placement {
  readonly kind = 'swarm';
  readonly #options: SwarmPlacementOptions;
  readonly #stop = new AbortController();
  readonly #groups = new Map<string, Group>();
  readonly #opening = new Set<Promise<unknown>>();
  #base: Promise<Base> | null = null;

  constructor(options: SwarmPlacementOptions) {
    this.#options = options;
  }

  async open(task: Task, options: OpenOptions): Promise<Lease> {
    this.#stop.signal.throwIfAborted();
    const { signal } = options;
    const aborted = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
    const opening = this.#open(task, { ...options, signal: aborted });
    this.#opening.add(opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }

  running(): readonly RunningEnvironment[] {
    return [...this.#groups.values()].flatMap(({ queue }) => queue.lanes);
  }

  async dispose(): Promise<void> {
    this.#stop.abort(new ServerError('placement_disposed', 'The environment has already ended.'));
    await Promise.allSettled(this.#opening);
    // It could not be connected, so there is nothing to remove.
    const base = await this.#base?.catch(() => null);
    if (base === null || base === undefined) return;
    await this.#tearDown(base);
  }

  async #open(task: Task, options: OpenOptions & { readonly signal: AbortSignal }): Promise<Lease> {
    const { progress, signal, withheld = [] } = options;
    const kind = imageKindFor(task);
    const limits = limitsOf(task, this.#options.limits);
    const base = await untilAborted(this.#connected(), signal);
    const group = await this.#group(base, kind, limits, progress);
    const server = await this.#take(base, group, progress, signal);
    server.running = task;
    try {
      const files = await filesFor(task, null, signal, withheld);
      const refused = this.#options.refusedPorts ?? [];
      const ports = portsOfLocalSites(task).filter((port) => !refused.includes(port));
      await openTunnel(server, { network: limits.network, ports, log: this.#options.log });
      // The lane ends the server by itself, while the next run takes another lane.
      const release = async (): Promise<void> => void server.dispose();
      return { server: withLocalPaths(server, dirname(task.file)), files, host: server.host, release };
    } catch (error) {
      void server.dispose();
      throw error;
    }
  }

  /** A lane of the group. Rejects with the reason if none comes. */
  async #take(
    { docker }: Base,
    { service, limits, queue, created }: Group,
    progress: (text: string) => void,
    signal: AbortSignal,
  ): Promise<LaneServer> {
    progress('Waiting for a lane');
    await untilAborted(created, signal);
    const began = performance.now();
    const stop = new AbortController();
    const taken = queue.take(AbortSignal.any([signal, stop.signal]));
    const look = async (): Promise<void> => {
      // All lanes are taken.
      if (queue.lanes.length > 0) return;
      const tasks = await docker.listTasks({ filters: { service: [service] } });
      const why = whyNoLane(tasks, limits);
      if (why === null) return;
      progress(`Waiting for a lane: ${why.message}`);
      // Lanes with other limits may leave their room.
      const others = [...this.#groups.values()].some((group) => group.queue.lanes.length > 0);
      if (!others && performance.now() - began > NO_LANE_LIMIT)
        stop.abort(new ServerError(why.code, `No lane has come: ${why.message}.`));
    };
    const timer = setInterval(() => {
      // The next look may succeed; a lost connection ends the relay.
      look().catch(() => {});
    }, LOOK_PERIOD);
    try {
      return await taken;
    } finally {
      clearInterval(timer);
    }
  }

  /** The lanes with an image and limits, whose service is created when they are first asked for. */
  async #group(base: Base, kind: string, limits: ContainerLimits, progress: (text: string) => void): Promise<Group> {
    const key = JSON.stringify([kind, limits.cpus, limits.memory, limits.pids, limits.network]);
    const existing = this.#groups.get(key);
    if (existing !== undefined) return existing;
    const service = `taskwright-${randomBytes(6).toString('hex')}`;
    const created = this.#createService(base, service, kind, limits, progress);
    const group: Group = { service, limits, queue: new LaneQueue(), created };
    this.#groups.set(key, group);
    created.catch((error: Error) => {
      this.#groups.delete(key);
      group.queue.fail(error);
    });
    return group;
  }

  async #createService(
    base: Base,
    name: string,
    kind: string,
    limits: ContainerLimits,
    progress: (text: string) => void,
  ): Promise<void> {
    const { docker, security, secret, network } = base;
    const { tag, reference, without, auth } = await base.images.ensure(kind, progress, this.#stop.signal);
    if (without.length > 0) {
      this.#options.log(
        `${without.length} nodes do not have the image and get no lanes. Name a registry, or their hosts.`,
      );
    }
    base.relay ??= this.#startRelay(base, tag).catch((error: unknown) => {
      base.relay = null;
      throw error;
    });
    await base.relay;
    const { lanes } = this.#options;
    const service = laneService(
      { name, image: reference, kind, limits, lanes, network: network.id, secret, without },
      security,
    );
    await docker.createService(auth ?? {}, service).catch((error: DockerError) => {
      const message = `Docker could not create a service: ${dockerMessage(error)}`;
      throw new ServerError('container_create_failed', message, { cause: error });
    });
  }

  async #startRelay(base: Base, image: string): Promise<RunningRelay> {
    const { docker, network, security, secret } = base;
    const relay = await startRelay(docker, {
      name: `${network.name}-relay`,
      image,
      network: network.name,
      owner: security.owner,
      secret,
      onLane: (lane) => void this.#join(docker, lane),
      log: this.#options.log,
    });
    void relay.ended.then(async (reason) => {
      if (this.#stop.signal.aborted) return;
      this.#options.log(`The relay of the lanes has ended: ${reason}`);
      // The next run starts everything anew.
      this.#base = null;
      await this.#tearDown(base).catch((error: Error) =>
        this.#options.log(`Lanes could not be removed: ${error.message}`),
      );
    });
    return relay;
  }

  async #join(docker: Docker, lane: Lane): Promise<void> {
    const group = [...this.#groups.values()].find(({ service }) => service === lane.hello.service);
    if (group === undefined) {
      lane.drop();
      return;
    }
    const server = new LaneServer(lane, {
      limits: group.limits,
      ask: (task) => endOfTask(docker, task),
      log: this.#options.log,
    });
    try {
      await server.handshake();
      group.queue.add(server);
    } catch (error) {
      this.#options.log(`A lane on the node ${lane.hello.node} cannot be used: ${(error as Error).message}`);
    }
  }

  /** Connects once; again if that failed. */
  #connected(): Promise<Base> {
    this.#base ??= this.#connect().catch((error: unknown) => {
      this.#base = null;
      throw error;
    });
    return this.#base;
  }

  async #connect(): Promise<Base> {
    const { installed, registry, hosts, log, onBuild } = this.#options;
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
    const endGuard = startGuard(installed, manager, owner);
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
    const seccomp = await readFile(join(installed, 'docker', 'seccomp.json'), 'utf8');
    return {
      docker,
      images: new SwarmImages({
        images: new Images(installed, onBuild),
        registry,
        manager: docker,
        others: () => Promise.all(others.map((host) => connect({ host }))),
      }),
      security: { owner, seccomp: JSON.stringify(JSON.parse(seccomp)), user: USER },
      secret: randomBytes(32).toString('hex'),
      network: { name, id: network.id },
      relay: null,
      endGuard,
    };
  }

  /** Removes services, relay, and network. */
  async #tearDown(base: Base): Promise<void> {
    const groups = [...this.#groups.values()];
    this.#groups.clear();
    for (const { queue } of groups) queue.fail(new ServerError('docker_gone', 'The connection to the swarm was lost.'));
    await Promise.allSettled(groups.map(({ created }) => created));
    const relay = await base.relay?.catch(() => null);
    // Services first: lanes that lose their relay would begin again.
    await removeOwned(base.docker, base.security.owner);
    await relay?.close();
    base.endGuard();
  }
}

/** The image of a task. Throws `ServerError` for a task that brings its own. */
function imageKindFor(task: Task): string {
  const answer = environmentKind(task.env);
  const ownImage = 'kind' in answer && answer.kind.image === null;
  if (ownImage || kindOfType(task.env)?.server !== undefined) {
    const message = 'An environment with an image or a server of its own does not run in a swarm.';
    throw new ServerError('unsupported_environment', message);
  }
  if (kindOfType(task.env)?.needsMiniwob?.(task.env) === true) {
    const message = 'The MiniWoB++ pages are not in a swarm. Run the task with --placement local.';
    throw new ServerError('pages_missing', message);
  }
  // For a task that is not supported the server reports that, in any image.
  return (kindOfType(task.env)?.image ?? BROWSER_IMAGE).name;
}

async function endOfTask(docker: Docker, id: string): Promise<TaskEnd | null> {
  try {
    const { Status } = taskSchema.parse(await docker.getTask(id).inspect());
    return { exitCode: Status.ContainerStatus?.ExitCode ?? null, error: Status.Err };
  } catch {
    // The task is forgotten, or the daemon does not answer, which is reported elsewhere.
    return null;
  }
}
