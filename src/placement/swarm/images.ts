import type Docker from 'dockerode';
import * as z from 'zod';
import type { Images } from '../docker/build.ts';
import type { Connection } from '../docker/connection.ts';
import type { ImageKind } from '../docker/image.ts';
import { pushImage, type RegistryAuth, transferred } from '../docker/registry.ts';
import { ServerError } from '../placement.ts';

/** An image as the nodes of the swarm know it. */
export interface SwarmImage {
  /** The image of the manager, for the relay. */
  readonly tag: string;
  /** For services: a name with a digest, or an id, which nodes do not look for in a registry. */
  readonly reference: string;
  /** Ids of the nodes that do not have it. */
  readonly without: readonly string[];
  /** For the registry; null if it needs none. */
  readonly auth: RegistryAuth | null;
}

const infoSchema = z.object({ Swarm: z.object({ NodeID: z.string() }) });

/**
 * Brings images to the nodes: through a registry, from which they pull by themselves, or else by copying them to the hosts that
 * are known, because a manager gives no access to the daemons of other nodes.
 */
export class SwarmImages {
  readonly #images: Images;
  readonly #registry: string | null;
  readonly #manager: Docker;
  readonly #others: () => Promise<readonly Connection[]>;
  readonly #onNodesWithout: (without: number, all: number) => void;
  readonly #ready = new Map<ImageKind, Promise<SwarmImage>>();
  /** Whether it was told that nodes have no images. */
  #told = false;

  /**
   * @param others connects to the known hosts other than the manager
   * @param onNodesWithout called once if nodes do not get images
   */
  constructor(options: {
    readonly images: Images;
    readonly registry: string | null;
    readonly manager: Docker;
    others(): Promise<readonly Connection[]>;
    onNodesWithout(without: number, all: number): void;
  }) {
    this.#images = options.images;
    this.#registry = options.registry;
    this.#manager = options.manager;
    this.#others = () => options.others();
    this.#onNodesWithout = (without, all) => options.onNodesWithout(without, all);
  }

  /** Rejects with `image_build_failed`, or with `image_unreachable` if the nodes cannot get the image. */
  ensure(kind: ImageKind, progress: (text: string) => void, signal: AbortSignal): Promise<SwarmImage> {
    let ready = this.#ready.get(kind);
    if (ready === undefined) {
      ready = this.#bring(kind, progress, signal);
      this.#ready.set(kind, ready);
      // Tried again by the next run.
      ready.catch(() => this.#ready.delete(kind));
    }
    return ready;
  }

  async #bring(kind: ImageKind, progress: (text: string) => void, signal: AbortSignal): Promise<SwarmImage> {
    const tag = await this.#images.ensure(this.#manager, kind, progress, signal);
    if (this.#registry === null) return this.#copy(tag, progress, signal);
    return { tag, without: [], ...(await pushImage(this.#manager, tag, this.#registry, progress, signal)) };
  }

  async #copy(tag: string, progress: (text: string) => void, signal: AbortSignal): Promise<SwarmImage> {
    const { Id: id } = await this.#manager.getImage(tag).inspect();
    const having = new Set([await nodeOf(this.#manager)]);
    for (const { docker, host } of await this.#others()) {
      signal.throwIfAborted();
      if (!(await hasImage(docker, id))) {
        progress(`Copying the image to ${host.address}`);
        const archive = await this.#manager.getImage(tag).get();
        try {
          await transferred(docker, await docker.loadImage(archive, { quiet: true }));
        } catch (error) {
          const message = `The image could not be copied to ${host.address}: ${(error as Error).message}.`;
          throw new ServerError('image_unreachable', message, { cause: error });
        }
      }
      having.add(await nodeOf(docker));
    }
    const nodes = (await this.#manager.listNodes()) as readonly { readonly ID: string }[];
    const without = nodes.map(({ ID }) => ID).filter((node) => !having.has(node));
    if (without.length > 0 && !this.#told) {
      this.#told = true;
      this.#onNodesWithout(without.length, nodes.length);
    }
    return { tag, reference: id, without, auth: null };
  }
}

async function nodeOf(docker: Docker): Promise<string> {
  return infoSchema.parse(await docker.info()).Swarm.NodeID;
}

async function hasImage(docker: Docker, id: string): Promise<boolean> {
  try {
    await docker.getImage(id).inspect();
    return true;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return false;
    throw error;
  }
}
