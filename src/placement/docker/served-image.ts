import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HudServing, ServerSource } from '../../environments/kind.ts';
import type { KnownFile } from '../../environments/known-file.ts';
import { Withheld } from '../../environments/withheld.ts';
import type { Task } from '../../tasks/task.ts';
import { hudImageService } from '../hud/image-service.ts';
import type { ImageService } from '../image-service.ts';
import { untilHealthy } from '../openenv/health.ts';
import { ServerError } from '../placement.ts';
import type { StartOptions } from './attached-container.ts';
import type { Images } from './build.ts';
import { customContext } from './custom/context.ts';
import { pullMissing } from './custom/open.ts';

/** How images serve OpenEnv. */
const OPENENV_IMAGE: ImageService = {
  what: 'OpenEnv image',
  port: 8000,
  scheme: 'http',
  variables: {},
  async ready({ address, exit, signal }) {
    await untilHealthy(address, exit, signal);
    return {};
  },
};

/** An image that serves the environment of a task. */
export interface ServedImage {
  readonly image: string;
  /** The content of the image. */
  readonly version: string;
  /** What the user calls it: the image, or the environment that it was built from. */
  readonly name: string;
  readonly service: ImageService;
  readonly resources: HudServing['resources'];
}

export interface ServedImageOptions extends Pick<StartOptions, 'docker' | 'progress' | 'signal'> {
  readonly images: Images;
  readonly task: Task;
  readonly withheld?: readonly KnownFile[];
}

/** The image of an environment. Pulls or builds it if it is missing. Rejects with `ServerError` or the reason of the signal. */
export async function servedImage(source: ServerSource, options: ServedImageOptions): Promise<ServedImage> {
  if ('image' in source) return pullNamed(source.image, { service: OPENENV_IMAGE, resources: {} }, options);
  if ('hudImage' in source) return pullNamed(source.hudImage, serving(source), options);
  if ('hud' in source) {
    const image = await buildImage(source.hud, options);
    return { image, version: image, name: source.name, ...serving(source) };
  }
  const message =
    'Only an environment that is an image runs in Docker. Run the task on this machine (`--placement local`).';
  throw new ServerError('unsupported_environment', message);
}

function serving({ startMs, resources }: HudServing): Pick<ServedImage, 'service' | 'resources'> {
  return { service: hudImageService(startMs), resources };
}

async function pullNamed(
  image: string,
  rest: Pick<ServedImage, 'service' | 'resources'>,
  options: ServedImageOptions,
): Promise<ServedImage> {
  await pullMissing(image, options);
  // A name can become that of another image.
  const { Id: version } = await options.docker.getImage(image).inspect();
  return { image, version, name: image, ...rest };
}

/** Builds the image of an environment in Python from the Dockerfile next to it. */
async function buildImage(path: string, { docker, images, task, withheld = [], progress, signal }: ServedImageOptions) {
  const folder = statSync(path).isDirectory() ? path : dirname(path);
  const dockerfile = ['Dockerfile.hud', 'Dockerfile']
    .map((name) => join(folder, name))
    .find((file) => existsSync(file));
  if (dockerfile === undefined) {
    const message = `There is no Dockerfile.hud in ${folder}, so the image of the environment cannot be built. Add one, or run the task on this machine (\`--placement local\`).`;
    throw new ServerError('context_unreadable', message);
  }
  const withheldFiles = await Withheld.ofTask(task, { folder: dirname(task.file), withheld });
  const context = await customContext(folder, dockerfile, withheldFiles, { code: true });
  await images.make(docker, context, progress, signal);
  return context.tag;
}
