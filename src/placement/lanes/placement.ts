import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { untilAborted } from '../../base/until-aborted.ts';
import { kindOfType } from '../../environments/kinds.ts';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import type { Task } from '../../tasks/task.ts';
import { hasOwnImage, imageKindFor, runsCommands } from '../docker/image.ts';
import { limitsOf } from '../docker/limits.ts';
import { withLocalPaths } from '../local-paths.ts';
import { portsOfLocalSites } from '../local-sites.ts';
import { Openings } from '../openings.ts';
import { type Lease, type OpenOptions, type Placement, type RunningEnvironment, ServerError } from '../placement.ts';
import { filesFor } from '../task-folder.ts';
import { openTunnel } from '../tunnel.ts';
import type { LaneEngine, LaneEngineOptions, LaneKind, NoLane, RunningRelay } from './engine.ts';
import type { Lane } from './hub.ts';
import { LaneQueue } from './queue.ts';
import { LaneServer } from './server.ts';

/** How often to ask what keeps lanes away while runs wait, and how long the same reason may do so, in ms. */
const LOOK_PERIOD = 1_000;
const NO_LANE_LIMIT = 60_000;

/** What all lanes share. */
interface Base<Image> {
  readonly engine: LaneEngine<Image>;
  readonly secret: string;
  relay: Promise<RunningRelay> | null;
}

/** The lanes with the same image and limits. */
interface Group {
  readonly name: string;
  readonly limits: ContainerLimits;
  readonly queue: LaneQueue<LaneServer>;
  /** Resolves when its lanes were started. */
  readonly whenStarted: Promise<void>;
}

/** Environments in lanes, which run wherever the engine has room for them. */
export class LanePlacement<Image> implements Placement {
  readonly kind: LaneKind;
  readonly #options: LaneEngineOptions<Image>;
  readonly #groups = new Map<string, Group>();
  readonly #openings = new Openings();
  #base: Promise<Base<Image>> | null = null;

  constructor(options: LaneEngineOptions<Image>) {
    this.kind = options.kind;
    this.#options = options;
  }

  open(task: Task, options: OpenOptions): Promise<Lease> {
    return this.#openings.open(options.signal, (signal) => this.#open(task, { ...options, signal }));
  }

  running(): readonly RunningEnvironment[] {
    return [...this.#groups.values()].flatMap(({ queue }) => queue.lanes);
  }

  async dispose(): Promise<void> {
    await this.#openings.end();
    // It could not be connected, so there is nothing to remove.
    const base = await this.#base?.catch(() => null);
    if (base === null || base === undefined) return;
    await this.#tearDown(base);
  }

  async #open(task: Task, options: OpenOptions & { readonly signal: AbortSignal }): Promise<Lease> {
    const { progress, signal, withheld = [] } = options;
    const kind = this.#imageKindFor(task);
    const limits = limitsOf(task, this.#options.limits);
    const base = await untilAborted(this.#connection(), signal);
    const group = this.#group(base, kind, limits, progress);
    const server = await this.#take(base, group, progress, signal);
    const lease = server.lend(task);
    try {
      const files = await filesFor(task, null, signal, withheld);
      const ports = portsOfLocalSites(task, this.#options.refusedPorts);
      const closeTunnel = await openTunnel(lease, { network: limits.network, ports, log: this.#options.log });
      const release = async (): Promise<void> => {
        closeTunnel();
        if (lease.giveBack() && !runsCommands(kind)) group.queue.giveBack(server);
        // The lane ends the server by itself, while the next run takes another lane.
        else void server.dispose();
      };
      return { server: withLocalPaths(lease, dirname(task.file)), files, host: server.host, release };
    } catch (error) {
      void server.dispose();
      throw error;
    }
  }

  /** Takes a lane of the group. Rejects with the reason if none becomes available. */
  async #take(
    { engine }: Base<Image>,
    { name, limits, queue, whenStarted }: Group,
    progress: (text: string) => void,
    signal: AbortSignal,
  ): Promise<LaneServer> {
    progress('Waiting for a lane');
    await untilAborted(whenStarted, signal);
    let reason: { readonly code: NoLane['code']; readonly since: number } | null = null;
    const stop = new AbortController();
    const lane = queue.take(AbortSignal.any([signal, stop.signal]));
    const look = async (): Promise<void> => {
      // If there are lanes, all of them are taken.
      const why = queue.lanes.length > 0 ? null : await engine.whyNoLane(name, limits);
      if (why?.code !== reason?.code) reason = why === null ? null : { code: why.code, since: performance.now() };
      if (why === null || reason === null) return;
      progress(`Waiting for a lane: ${why.message}`);
      // Lanes with other limits may free resources.
      const others = [...this.#groups.values()].some((group) => group.queue.lanes.length > 0);
      if (!others && performance.now() - reason.since > NO_LANE_LIMIT)
        stop.abort(new ServerError(why.code, `No lane has come: ${why.message}.`));
    };
    const timer = setInterval(() => {
      // The next look may succeed; a lost connection ends the relay.
      look().catch(() => {});
    }, LOOK_PERIOD);
    try {
      return await lane;
    } finally {
      clearInterval(timer);
    }
  }

  /** The lanes with an image and limits, which are started when they are first requested. */
  #group(base: Base<Image>, kind: string, limits: ContainerLimits, progress: (text: string) => void): Group {
    const key = JSON.stringify([kind, limits.cpus, limits.memory, limits.pids, limits.network]);
    const existing = this.#groups.get(key);
    if (existing !== undefined) return existing;
    const name = `taskwright-${randomBytes(6).toString('hex')}`;
    const whenStarted = this.#startLanes(base, name, kind, limits, progress);
    const group: Group = { name, limits, queue: new LaneQueue(), whenStarted };
    this.#groups.set(key, group);
    whenStarted.catch((error: Error) => {
      this.#groups.delete(key);
      group.queue.fail(error);
    });
    return group;
  }

  async #startLanes(
    base: Base<Image>,
    name: string,
    kind: string,
    limits: ContainerLimits,
    progress: (text: string) => void,
  ): Promise<void> {
    const { engine, secret } = base;
    const image = await engine.ensureImage(kind, progress, this.#openings.signal);
    base.relay ??= this.#startRelay(base, image).catch((error: unknown) => {
      base.relay = null;
      throw error;
    });
    await base.relay;
    await engine.startLanes({ name, image, kind, limits, lanes: this.#options.lanes, secret });
  }

  async #startRelay(base: Base<Image>, image: Image): Promise<RunningRelay> {
    const { engine, secret } = base;
    const onLane = (lane: Lane): void => void this.#join(engine, lane);
    const relay = await engine.startRelay({ image, secret, signal: this.#openings.signal, onLane });
    void relay.whenEnded.then(async (reason) => {
      if (this.#openings.signal.aborted) return;
      this.#options.log(`The relay of the lanes has ended: ${reason}`);
      // The next run starts everything again.
      this.#base = null;
      await this.#tearDown(base).catch((error: Error) =>
        this.#options.log(`Lanes could not be removed: ${error.message}`),
      );
    });
    return relay;
  }

  async #join(engine: LaneEngine<Image>, lane: Lane): Promise<void> {
    const group = [...this.#groups.values()].find(({ name }) => name === lane.hello.service);
    if (group === undefined) {
      lane.drop();
      return;
    }
    const server = new LaneServer(lane, {
      placement: this.kind,
      limits: group.limits,
      ask: (task) => engine.endOf(task),
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
  #connection(): Promise<Base<Image>> {
    this.#base ??= this.#options.connect().then(
      (engine) => ({ engine, secret: randomBytes(32).toString('hex'), relay: null }),
      (error: unknown) => {
        this.#base = null;
        throw error;
      },
    );
    return this.#base;
  }

  async #tearDown({ engine, relay: starting }: Base<Image>): Promise<void> {
    const groups = [...this.#groups.values()];
    this.#groups.clear();
    const connectionError = new ServerError('docker_gone', `The connection to ${this.#options.name} was lost.`);
    for (const { queue } of groups) queue.fail(connectionError);
    await Promise.allSettled(groups.map(({ whenStarted }) => whenStarted));
    const relay = await starting?.catch(() => null);
    // Lanes first: those that lose their relay would restart.
    await engine.remove();
    await relay?.close();
  }

  /** The image of a task. Throws `ServerError` for a task that brings its own. */
  #imageKindFor(task: Task): string {
    const { name } = this.#options;
    if (hasOwnImage(task) || kindOfType(task.env)?.server !== undefined) {
      const message = `An environment with an image or a server of its own does not run in ${name}.`;
      throw new ServerError('unsupported_environment', message);
    }
    if (kindOfType(task.env)?.needsMiniwob?.(task.env) === true) {
      const message = `The MiniWoB++ pages are not in ${name}. Run the task on this machine (\`--placement local\`).`;
      throw new ServerError('pages_missing', message);
    }
    return imageKindFor(task);
  }
}
