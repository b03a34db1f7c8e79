import { dirname, join } from 'node:path';
import { withTimeout } from '../../base/timeout.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import { TASK_NAME } from '../../environments/browser/browsergym/browsergym.ts';
import { describeMissingPages, locateMiniwob } from '../../environments/browser/miniwob/locate.ts';
import { kindOfType } from '../../environments/kinds.ts';
import type { KnownFile } from '../../environments/known-file.ts';
import { TASK_MODULE } from '../../functions/user/task-module.ts';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import type { Task } from '../../tasks/task.ts';
import { localPlacement } from '../local.ts';
import { withLocalPaths } from '../local-paths.ts';
import { portsOfLocalSites } from '../local-sites.ts';
import { END_LIMIT, Openings } from '../openings.ts';
import { type Lease, type OpenOptions, type Placement, type RunningEnvironment, ServerError } from '../placement.ts';
import { SharedServers } from '../shared-servers.ts';
import { filesFor, relativeWithheld, TASK_MOUNT } from '../task-folder.ts';
import { takeServers } from '../task-servers.ts';
import { openTunnel } from '../tunnel.ts';
import type { DockerError } from './attached-container.ts';
import { Images } from './build.ts';
import { composeStamp, startComposeServer } from './compose-server.ts';
import { type Connection, connect, DockerMissing } from './connection.ts';
import { Container } from './container.ts';
import { type ContainerSecurity, type ContainerSpec, IMAGE_USER, readSeccomp } from './create-options.ts';
import { type OpenController, openController } from './custom/open.ts';
import type { DockerPlacementOptions } from './docker.ts';
import { Fleet } from './fleet.ts';
import { hasOwnImage, imageKindFor } from './image.ts';
import { startImageServer } from './image-server.ts';
import { limitsOf } from './limits.ts';
import { ownerLabel, thisOwner } from './owner.ts';
import { Pool } from './pool.ts';
import { removeAbandoned } from './remove.ts';
import { servedImage } from './served-image.ts';

/** Delay before the next container is prepared, so that it does not slow down the start of the current run, in ms. */
const SETTLE = 1_000;

/** With what was tried and what to do alone: of several hosts, each has its own. */
function shortly(error: unknown): never {
  if (!(error instanceof DockerMissing)) throw error;
  throw new ServerError(error.code, `${error.attempt}. ${error.advice}`, { cause: error });
}

type OneHostOptions = Omit<DockerPlacementOptions, 'hosts'> & {
  /** See `namedHost`; absent: the host that Docker's own settings name. */
  readonly host?: string;
};

/** State that all runs share once Docker has answered. */
interface Base extends Connection {
  readonly sealing: ContainerSecurity;
}

/** Environments in containers: one for each run, taken from the prepared ones if one matches. */
export function dockerPlacement({ hosts = [], ...options }: DockerPlacementOptions): Placement {
  const names = [...new Set(hosts)];
  if (names.length === 0) return new DockerPlacement(options);
  const warm = Math.ceil(options.warm / names.length);
  return new Fleet(
    names.map((host) => ({
      name: host,
      placement: new DockerPlacement({ ...options, warm, host }),
      capacity: () => connect({ host }).catch(shortly),
    })),
    options,
  );
}

class DockerPlacement implements Placement {
  readonly kind = 'docker';
  readonly #options: OneHostOptions;
  readonly #images: Images;
  readonly #running = new Set<RunningEnvironment>();
  readonly #pool: Pool;
  #base: Promise<Base> | null = null;
  readonly #openings = new Openings();
  readonly #servers = new SharedServers('docker');
  /** Sessions of environments whose server is in a container. */
  #sessions: Placement | null = null;

  constructor(options: OneHostOptions) {
    this.#options = options;
    this.#images = new Images(options.installation, options.onBuild);
    this.#pool = new Pool({
      size: options.warm,
      start: async (spec, signal) => this.#start(await this.#connection(), spec, signal),
      log: options.log,
    });
  }

  open(task: Task, options: OpenOptions): Promise<Lease> {
    return this.#openings.open(options.signal, (signal) => this.#open(task, { ...options, signal }));
  }

  running(): readonly RunningEnvironment[] {
    return [...this.#running, ...this.#servers.running];
  }

  async dispose(): Promise<void> {
    await this.#openings.end();
    const others = [this.#pool.dispose(), this.#servers.dispose(), this.#sessions?.dispose()];
    await withTimeout(END_LIMIT, Promise.all(others));
    await Promise.all([...this.#running].map((container) => container.dispose()));
  }

  async #open(task: Task, options: OpenOptions & { readonly signal: AbortSignal }): Promise<Lease> {
    const { progress, signal, withheld = [] } = options;
    const limits = limitsOf(task, this.#options.limits);
    const base = await untilAborted(this.#connection(), signal);
    if (kindOfType(task.env)?.server !== undefined) return this.#openServed(task, base, { limits, ...options });
    if (hasOwnImage(task)) return this.#openCustom(task, base, { limits, progress, signal, withheld });
    const kind = imageKindFor(task);
    const image = await this.#images.ensure(base.docker, kind, progress, signal);
    let files = await this.#filesFor(task, base, signal, withheld);
    const folder = dirname(task.file);
    const miniwob = kindOfType(task.env)?.needsMiniwob?.(task.env) === true ? await this.#miniwob(base) : null;
    const spec = { image, kind, folder: 'folder' in files ? folder : null, limits, miniwob };
    const container = this.#pool.take(spec) ?? (await this.#startContainer(base, spec, progress, signal));
    container.task = task;
    try {
      if (spec.folder !== null && container.spec.folder === null) files = await filesFor(task, null, signal, withheld);
      const { network } = limits;
      const ports = portsOfLocalSites(task, this.#options.refusedPorts);
      await openTunnel(container, { network, ports, log: this.#options.log });
    } catch (error) {
      await container.dispose();
      throw error;
    }
    setTimeout(() => this.#pool.fill(container.spec), SETTLE).unref();
    return { server: withLocalPaths(container, folder), files, release: () => container.dispose() };
  }

  /** A session on this machine, with an environment whose server runs in a container. */
  async #openServed(
    task: Task,
    { docker, host, local, sealing }: Base,
    { limits, ...options }: OpenOptions & { readonly limits: ContainerLimits; readonly signal: AbortSignal },
  ): Promise<Lease> {
    const { installation, log } = this.#options;
    this.#sessions ??= localPlacement({ serverProgram: join(installation, 'dist', 'server.js'), log });
    if (options.recorded === true) return this.#sessions.open(task, options);
    const { owner } = sealing;
    const servers = await takeServers(task, async (source) => {
      const { progress, signal } = options;
      if (!local) {
        const message = 'Docker runs on another machine, where the port of the environment cannot be reached.';
        throw new ServerError('start_failed', message);
      }
      const starting = { docker, owner, progress, log, signal: this.#openings.signal };
      if ('hudCompose' in source) {
        const start = () => startComposeServer(source, { ...starting, host: host.address });
        const version = await composeStamp(source.hudCompose);
        return this.#servers.take(JSON.stringify(source), task, start, signal, version);
      }
      const servedBy = await servedImage(source, { ...options, docker, images: this.#images, task });
      const imageLimits = { ...limits, ...servedBy.resources };
      const start = () =>
        startImageServer(servedBy.image, servedBy.service, { ...starting, limits: imageLimits, name: servedBy.name });
      return this.#servers.take(JSON.stringify([servedBy.name, imageLimits]), task, start, signal, servedBy.version);
    });
    if (servers.isEmpty && kindOfType(task.env)?.startsContainers?.(task.env) !== true) {
      const message =
        'Nothing of this environment would run in Docker: it is at an address, or a program of this machine. Run the task on this machine (`--placement local`).';
      throw new ServerError('unsupported_environment', message);
    }
    try {
      // The session on this machine starts no servers of its own.
      const lease = await this.#sessions.open(task, { ...options, recorded: true });
      const release = async (): Promise<void> => {
        servers.release();
        await lease.release();
      };
      return { ...lease, ...servers.lease, release };
    } catch (error) {
      servers.release();
      throw error;
    }
  }

  /** A container of a user-provided image. None is prepared, and no Taskwright code runs in it. */
  async #openCustom(
    task: Task,
    { docker, sealing }: Base,
    options: Pick<OpenController, 'limits' | 'progress' | 'signal' | 'withheld'>,
  ): Promise<Lease> {
    const { log, host } = this.#options;
    const opening = { ...options, docker, images: this.#images, owner: sealing.owner, log, host };
    const server = this.#track(await openController(task, opening));
    return { server, files: { folder: dirname(task.file) }, release: () => server.dispose() };
  }

  async #startContainer(
    base: Base,
    spec: ContainerSpec,
    progress: (text: string) => void,
    signal: AbortSignal,
  ): Promise<Container> {
    progress('Starting a container');
    try {
      return await this.#start(base, spec, signal);
    } catch (error) {
      const { statusCode, message = '' } = ((error as Error).cause ?? {}) as Partial<DockerError>;
      if (statusCode === 404 && /no such image/i.test(message)) {
        this.#images.forget();
        const image = await this.#images.ensure(base.docker, spec.kind, progress, signal);
        return this.#start(base, { ...spec, image }, signal);
      }
      // The daemon runs in a virtual machine or beside this container and does not see the folder.
      if (spec.folder !== null && /mount/i.test(message)) {
        this.#options.log(`${spec.folder} cannot be mounted, so files are copied: ${message}`);
        return this.#start(base, { ...spec, folder: null }, signal);
      }
      throw error;
    }
  }

  async #start({ docker, sealing }: Base, spec: ContainerSpec, signal: AbortSignal): Promise<Container> {
    const container = await Container.start(docker, spec, sealing, this.#options.log, signal);
    container.host = this.#options.host;
    return this.#track(container);
  }

  #track<Server extends RunningEnvironment & { readonly whenRemoved: Promise<void> }>(server: Server): Server {
    this.#running.add(server);
    void server.whenRemoved.then(() => this.#running.delete(server));
    return server;
  }

  /** The mounted folder of the task, or its files if the daemon or the user in the container cannot read it. */
  #filesFor(
    task: Task,
    { local, sealing }: Base,
    signal: AbortSignal,
    withheld: readonly KnownFile[],
  ): Promise<Lease['files']> {
    const withheldInMount =
      local && sealing.user.uid === process.getuid?.() ? relativeWithheld(dirname(task.file), withheld) : null;
    if (withheldInMount !== null) return Promise.resolve({ folder: TASK_MOUNT, withheld: withheldInMount });
    return filesFor(task, local ? TASK_MOUNT : null, signal, withheld);
  }

  /** The local folder of the MiniWoB++ pages, to be mounted. */
  async #miniwob({ local }: Base): Promise<string> {
    const { miniwob } = this.#options;
    const location = await locateMiniwob(
      miniwob === undefined ? process.env : { ...process.env, TASKWRIGHT_MINIWOB: miniwob },
    );
    if (!('found' in location)) throw new ServerError('pages_missing', describeMissingPages(location.tried));
    if (local) return location.found.folder;
    throw new ServerError(
      'pages_missing',
      'Docker runs on another machine, which cannot access the MiniWoB++ pages. Run the task on this machine (`--placement local`).',
    );
  }

  /** Connects once; again if that failed. */
  #connection(): Promise<Base> {
    this.#base ??= this.#connect().catch((error: unknown) => {
      this.#base = null;
      throw error;
    });
    return this.#base;
  }

  async #connect(): Promise<Base> {
    const { host, installation, log } = this.#options;
    const connection = await connect({ host });
    const { docker, sameUsers, local } = connection;
    const owner = await thisOwner();
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    const user = local && sameUsers && uid !== 0 ? { uid, gid } : IMAGE_USER;
    const seccomp = await readSeccomp(installation);
    // Containers of other owners must not delay or fail a run.
    void removeAbandoned(docker, owner).then(
      (ids) => {
        for (const id of ids) log(`Removed container ${id.slice(0, 12)}, which a killed process had left behind`);
      },
      (error: Error) => log(`Abandoned containers could not be removed: ${error.message}`),
    );
    const entries = [TASK_MODULE, TASK_NAME].map((name) => [name, process.env[name] ?? ''] as const);
    const variables = Object.fromEntries(entries.filter(([, value]) => value !== ''));
    return { ...connection, sealing: { owner: ownerLabel(owner), seccomp, user, variables } };
  }
}
