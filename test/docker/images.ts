import { Images } from '../../src/placement/docker/build.ts';
import { connect } from '../../src/placement/docker/connection.ts';
import { IMAGES } from '../../src/placement/docker/image.ts';
import { root } from '../system/programs.ts';

/** Builds the images that are missing, once for all files. */
export async function setup(): Promise<void> {
  const { docker } = await connect();
  const images = new Images(root);
  for (const kind of IMAGES.keys()) await images.ensure(docker, kind, () => {});
}
