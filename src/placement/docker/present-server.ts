import type Docker from 'dockerode';
import { patient } from '../../base/patience.ts';
import type { HudInDocker } from '../../environments/kind.ts';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import { hudImageService } from '../hud/image-service.ts';
import type { StartedServer } from '../shared-servers.ts';
import { imageId } from './build.ts';
import { composeImages, composeStamp, startComposeServer } from './compose-server.ts';
import { type Connection, connect, DockerMissing } from './connection.ts';
import { startImageServer } from './image-server.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { ownerLabel, thisOwner } from './owner.ts';

/** Time limit for Docker to answer, in ms. */
const ANSWER_LIMIT = patient(2_000);

/** A HUD environment in Docker that needs nothing to be pulled or built. */
export interface PresentServer {
  /** Changes when the environment does. */
  readonly version: string;
  /** Rejects with `ServerError`, or the reason of the signal. */
  start(): Promise<StartedServer>;
}

export interface FindPresent {
  readonly limits: Partial<ContainerLimits>;
  readonly signal: AbortSignal;
  log(text: string): void;
}

/**
 * The environment, if Docker runs on this machine and has its images. Null if it does not, or if the environment is built from
 * a Dockerfile. Starts nothing by itself. Rejects with `ServerError`, or the reason of the signal.
 */
export async function findPresent(source: HudInDocker, options: FindPresent): Promise<PresentServer | null> {
  const { limits, signal, log } = options;
  const connection = await connectLocally(options);
  if (connection === null) return null;
  const { docker, host } = connection;
  const owner = ownerLabel(await thisOwner());
  const starting = { docker, owner, signal, log, progress: () => {} };
  if ('hudImage' in source) {
    const { hudImage: image, startMs, resources } = source;
    const version = await imageId(docker, image);
    if (version === null) return null;
    const imageLimits = { ...DEFAULT_LIMITS, ...limits, ...resources };
    const start = () =>
      startImageServer(image, hudImageService(startMs), { ...starting, limits: imageLimits, name: image });
    return { version, start };
  }
  const compose = { ...starting, host: host.address, offline: true };
  const images = await composeImages(source.hudCompose, compose);
  const versions = images === null ? null : await idsOf(docker, images);
  if (versions === null) return null;
  const version = [await composeStamp(source.hudCompose), ...versions].join('\n');
  return { version, start: () => startComposeServer(source, compose) };
}

/** Null if there is no Docker, or on another machine, where the port of an environment cannot be reached. */
async function connectLocally({ signal, log }: FindPresent): Promise<Connection | null> {
  try {
    const connection = await connect({ limit: ANSWER_LIMIT, signal });
    return connection.local ? connection : null;
  } catch (error) {
    if (!(error instanceof DockerMissing)) throw error;
    log(error.message);
    return null;
  }
}

/** The contents of images; null if one is missing. */
async function idsOf(docker: Docker, images: readonly string[]): Promise<readonly string[] | null> {
  const ids = await Promise.all(images.map((image) => imageId(docker, image)));
  return ids.includes(null) ? null : (ids as readonly string[]);
}
