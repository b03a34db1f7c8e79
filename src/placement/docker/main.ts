import { imageExists } from './build.ts';
import { connect, DockerMissing } from './connection.ts';
import type { DockerState } from './docker.ts';
import { IMAGES, readContext } from './image.ts';

export { dockerPlacement } from './placement.ts';
export { buildTaskImage } from './task-image.ts';

/**
 * Reports whether Docker is available and which images are built. `installed`: as in `DockerPlacementOptions`. Never
 * rejects.
 */
export async function findDocker(installed: string): Promise<DockerState> {
  try {
    const { docker, host, version, local } = await connect();
    const images = await Promise.all(
      [...IMAGES.keys()].map(async (kind) => {
        const { tag } = await readContext(installed, kind);
        return { tag, built: await imageExists(docker, tag) };
      }),
    );
    return { found: true, host: host.address, by: host.by, version, local, images };
  } catch (error) {
    const { message } = error as Error;
    return { found: false, tried: error instanceof DockerMissing ? [error.tried] : [], message };
  }
}
