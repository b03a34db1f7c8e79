import type { Stats } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type Docker from 'dockerode';
import { isNotFound } from '../../../base/file-kind.ts';
import { describeSystemError } from '../../../base/system-error.ts';
import { refusedKeys } from '../../../environments/custom/host-config.ts';
import { readCustom } from '../../../environments/custom/spec.ts';
import type { KnownFile } from '../../../environments/known-file.ts';
import { Withheld } from '../../../environments/withheld.ts';
import type { ContainerLimits } from '../../../tasks/placement-options.ts';
import type { Task } from '../../../tasks/task.ts';
import { ServerError } from '../../placement.ts';
import { type DockerError, dockerMessage, type StartOptions } from '../attached-container.ts';
import { type Images, imageExists } from '../build.ts';
import { untilTransferred } from '../registry.ts';
import { ControllerContainer } from './container.ts';
import { customContext } from './context.ts';
import { customCreateOptions, type ImageStart } from './create-options.ts';
import { whyNoController } from './probe.ts';
import { type ControllerServer, controllerServer } from './server.ts';
import { SOURCE, Source } from './source.ts';

export interface OpenController extends StartOptions {
  readonly images: Images;
  readonly limits: ContainerLimits;
  /** As in `RunningEnvironment`. */
  readonly host?: string | undefined;
  /** Files that no agent may read. */
  readonly withheld: readonly KnownFile[];
}

/**
 * Opens a container for a task of a custom environment, from its build context, which is built if it has changed, or
 * from the image that it names. Rejects with `ServerError` or the reason of the signal, and removes the container in
 * that case.
 */
export async function openController(task: Task, options: OpenController): Promise<ControllerServer> {
  const { docker, progress, log, signal } = options;
  const spec = readCustom(task.env);
  const refusedKey = refusedKeys(spec.hostConfig).find(({ leftOut }) => !leftOut);
  if (refusedKey !== undefined) throw new ServerError('bad_host_config', `${refusedKey.message}.`);
  const folder = dirname(task.file);
  const context = await contextOf(spec.context ?? spec.image, folder, spec.context !== null);
  const withheld = await Withheld.ofTask(task, { folder, withheld: options.withheld });
  const image =
    context === null && spec.dockerfile === null
      ? await ownImage(spec.image, options)
      : await buildImage(context, spec.dockerfile, withheld, options);
  progress('Starting a container');
  const start = await imageStart(docker, image);
  const { limits, owner } = options;
  const createOptions = customCreateOptions({ image, start, hostConfig: spec.hostConfig, limits, owner });
  const container = await ControllerContainer.start(docker, createOptions, log, signal);
  try {
    await container.healthy(signal);
    if (context !== null)
      await container.serve(new Source(context, relative(folder, context).split(sep).join('/'), withheld), signal);
    const reason = await whyNoController(container, image, context === null ? null : `${SOURCE}/src`);
    if (reason !== null) throw new ServerError('no_controller', reason);
    signal.throwIfAborted();
    return controllerServer(container, task, folder, options.host);
  } catch (error) {
    await container.close();
    throw error;
  }
}

/** The folder that the task names; null if the name is that of an image. */
export async function contextOf(name: string | null, folder: string, isPath: boolean): Promise<string | null> {
  if (name === null) return null;
  const path = resolve(folder, name);
  const unusable = (reason: string): ServerError =>
    new ServerError('context_unreadable', `The environment's folder ${path} ${reason}.`);
  let stats: Stats;
  try {
    stats = await stat(path);
  } catch (error) {
    if (!isPath) return null;
    throw unusable(isNotFound(error) ? 'does not exist' : `cannot be read: ${describeSystemError(error)}`);
  }
  if (stats.isDirectory()) return path;
  if (!isPath) return null;
  throw unusable('is not a folder');
}

/** The image of a build context, or of a Dockerfile's text alone. */
async function buildImage(
  context: string | null,
  dockerfile: string | null,
  withheld: Withheld,
  { docker, images, progress, signal }: OpenController,
): Promise<string> {
  const scratch = dockerfile === null ? null : await mkdtemp(join(tmpdir(), 'taskwright-dockerfile-'));
  try {
    const recipe = scratch === null ? null : join(scratch, 'Dockerfile');
    if (recipe !== null) await writeFile(recipe, dockerfile ?? '');
    const buildContext = await customContext(context ?? scratch ?? '', recipe, withheld);
    await images.make(docker, buildContext, progress, signal);
    return buildContext.tag;
  } finally {
    if (scratch !== null) await rm(scratch, { recursive: true, force: true });
  }
}

/** The image that a custom environment names. Pulls it if it is missing. */
async function ownImage(image: string | null, options: OpenController): Promise<string> {
  if (image === null) {
    const message = 'The environment names neither an image nor a folder. Set its "image_or_build_context".';
    throw new ServerError('no_image', message);
  }
  await pullMissing(image, options, ' For a build context, use a path: "./FOLDER".');
  return image;
}

/** Pulls an image that is missing. `hint`: what else the name could mean. Rejects with `no_image` or the reason of the signal. */
export async function pullMissing(
  image: string,
  { docker, progress, signal }: Pick<OpenController, 'docker' | 'progress' | 'signal'>,
  hint = '',
): Promise<void> {
  if (await imageExists(docker, image)) return;
  progress(`Pulling the image ${image}`);
  try {
    await untilTransferred(docker, await docker.pull(image, { abortSignal: signal }));
  } catch (error) {
    signal.throwIfAborted();
    throw new ServerError(
      'no_image',
      `The image ${image} was not found and could not be pulled: ${dockerMessage(error as DockerError)}.${hint}`,
      { cause: error },
    );
  }
}

/** What an image starts by itself. */
export async function imageStart(docker: Docker, image: string): Promise<ImageStart> {
  const { Config } = await docker.getImage(image).inspect();
  const listOf = (value: string | readonly string[] | null | undefined): readonly string[] =>
    typeof value === 'string' ? [value] : (value ?? []);
  return { entrypoint: listOf(Config.Entrypoint), command: listOf(Config.Cmd) };
}
