import type Docker from 'dockerode';
import * as z from 'zod';
import { getOrRetry } from '../../base/get-or-create.ts';
import { type Images, imageExists } from '../docker/build.ts';
import type { Connection } from '../docker/connection.ts';
import type { ImageKind } from '../docker/image.ts';
import { pushImage, type RegistryAuth, untilTransferred } from '../docker/registry.ts';
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

export interface SwarmImagesOptions {
  readonly images: Images;
  readonly registry: string | null;
  readonly manager: Docker;
  /** Connects to the known hosts other than the manager. */
  others(): Promise<readonly Connection[]>;
  /** Called once if nodes do not get images. */
  onNodesWithout(without: number, all: number): void;
}

/**
 * Distributes images to the nodes: through a registry, from which nodes pull, or else by copying them to the known hosts,
 * because a manager gives no access to the daemons of other nodes.
 */
export class SwarmImages {
  readonly #options: SwarmImagesOptions;
  readonly #ready = new Map<ImageKind, Promise<SwarmImage>>();
  /** Whether nodes without images were reported. */
  #isReported = false;

  constructor(options: SwarmImagesOptions) {
    this.#options = options;
  }

  /** Rejects with `image_build_failed`, or with `image_unreachable` if the nodes cannot get the image. */
  ensure(kind: ImageKind, progress: (text: string) => void, signal: AbortSignal): Promise<SwarmImage> {
    return getOrRetry(this.#ready, kind, () => this.#bring(kind, progress, signal));
  }

  async #bring(kind: ImageKind, progress: (text: string) => void, signal: AbortSignal): Promise<SwarmImage> {
    const { images, registry, manager } = this.#options;
    const tag = await images.ensure(manager, kind, progress, signal);
    if (registry === null) return this.#copy(tag, progress, signal);
    return { tag, without: [], ...(await pushImage(manager, tag, registry, progress, signal)) };
  }

  async #copy(tag: string, progress: (text: string) => void, signal: AbortSignal): Promise<SwarmImage> {
    const { manager } = this.#options;
    const { Id: id } = await manager.getImage(tag).inspect();
    const having = new Set([await nodeOf(manager)]);
    for (const { docker, host } of await this.#options.others()) {
      signal.throwIfAborted();
      if (!(await imageExists(docker, id))) {
        progress(`Copying the image to ${host.address}`);
        const archive = await manager.getImage(tag).get();
        try {
          await untilTransferred(docker, await docker.loadImage(archive, { quiet: true }));
        } catch (error) {
          const message = `The image could not be copied to ${host.address}: ${(error as Error).message}.`;
          throw new ServerError('image_unreachable', message, { cause: error });
        }
      }
      having.add(await nodeOf(docker));
    }
    const nodes = (await manager.listNodes()) as readonly { readonly ID: string }[];
    const without = nodes.map(({ ID }) => ID).filter((node) => !having.has(node));
    if (without.length > 0 && !this.#isReported) {
      this.#isReported = true;
      this.#options.onNodesWithout(without.length, nodes.length);
    }
    return { tag, reference: id, without, auth: null };
  }
}

async function nodeOf(docker: Docker): Promise<string> {
  return infoSchema.parse(await docker.info()).Swarm.NodeID;
}
