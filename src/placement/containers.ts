import { patient } from '../base/patience.ts';
import { imageExists } from './docker/build.ts';
import { connect, DockerMissing } from './docker/connection.ts';
import type { DockerQuery, DockerState } from './docker/docker.ts';
import { currentSystem, listContexts } from './docker/host.ts';
import { IMAGES, readContext } from './docker/image.ts';
import { swarmOf } from './swarm/connect-manager.ts';

export { dockerPlacement } from './docker/placement.ts';
export { findPresent } from './docker/present-server.ts';
export { buildTaskImage } from './docker/task-image.ts';
export { findKubernetes } from './kubernetes/find.ts';
export { kubernetesPlacement } from './kubernetes/placement.ts';
export { removeFromSwarm } from './swarm/guard.ts';
export { swarmPlacement } from './swarm/placement.ts';

/** Time limit for a host that is only examined, in ms. */
const EXAMINATION_LIMIT = patient(10_000);

/**
 * Reports whether a Docker host is available, what capacity it has, and which images are built there. `installation`: as in
 * `DockerPlacementOptions`. Resolves within some 10 seconds. Never rejects.
 */
export async function findDocker(installation: string, query: DockerQuery = {}): Promise<DockerState> {
  try {
    const connection = await connect({ ...query, limit: EXAMINATION_LIMIT });
    const { docker, host, version, local, cpus, memory, containers } = connection;
    const images = await Promise.all(
      [...IMAGES.keys()].map(async (kind) => {
        const { tag } = await readContext(installation, kind);
        return { tag, built: await imageExists(docker, tag) };
      }),
    );
    const swarm = await swarmOf(connection);
    const room = { cpus, memory, containers };
    return { found: true, host: host.address, by: host.by, version, local, room, images, swarm };
  } catch (error) {
    const { message } = error as Error;
    if (!(error instanceof DockerMissing)) return { found: false, tried: [], message, fix: '' };
    return { found: false, tried: [error.attempt], message, fix: `${error.advice}.` };
  }
}

/** The Docker contexts of the user, without the default one. */
export function dockerContexts(): Promise<readonly string[]> {
  return listContexts(currentSystem());
}
