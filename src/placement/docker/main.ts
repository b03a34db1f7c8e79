import { isThere } from './build.ts';
import { connect, DockerMissing } from './connection.ts';
import type { DockerState } from './docker.ts';
import { readContext } from './image.ts';

export { dockerPlacement } from './placement.ts';
export { buildTaskImage } from './task-image.ts';

/** Looks for Docker, and whether the image is built. `installed`: as in `DockerPlacementOptions`. Never rejects. */
export async function findDocker(installed: string): Promise<DockerState> {
  try {
    const { docker, host, version, local } = await connect();
    const { tag } = await readContext(installed);
    const built = await isThere(docker, tag);
    return { found: true, host: host.address, by: host.by, version, local, image: { tag, built } };
  } catch (error) {
    const { message } = error as Error;
    return { found: false, tried: error instanceof DockerMissing ? [error.tried] : [], message };
  }
}
