import { type Placement, ServerError } from '../placement.ts';
import type { DockerPlacementOptions, DockerState } from './docker.ts';

/** Environments in containers: one for each run, taken from those that are kept ready where one fits. */
export function dockerPlacement(_options: DockerPlacementOptions): Placement {
  throw new ServerError('docker_missing', 'Docker is not driven yet.');
}

/** Looks for Docker, and whether the image is built. Never rejects. */
export async function findDocker(_installed: string): Promise<DockerState> {
  return { found: false, tried: [], message: 'Docker is not driven yet.' };
}
