import { Images } from '../../src/placement/docker/build.ts';
import { connect } from '../../src/placement/docker/connection.ts';
import { IMAGES } from '../../src/placement/docker/image.ts';
import { root } from '../system/programs.ts';
import { labImage } from './lab-image.ts';
import { nodeImage } from './test-swarm.ts';

/** Builds the images that are missing, once for all files. */
export async function setup(): Promise<void> {
  const { docker } = await connect();
  const images = new Images(root);
  for (const kind of IMAGES.keys()) await images.ensure(docker, kind, () => {});
  // The tests that need one of these ask for it again, and then say why it cannot be built.
  for (const build of [labImage, nodeImage]) await build().catch(() => {});
}
