import type { ContainerLimits } from '../../tasks/placement-options.ts';
import type { ImageService } from '../image-service.ts';
import { ServerError } from '../placement.ts';
import type { StartedServer } from '../shared-servers.ts';
import type { StartOptions } from './attached-container.ts';
import { ControllerContainer } from './custom/container.ts';
import { customCreateOptions } from './custom/create-options.ts';
import { imageStart } from './custom/open.ts';

export interface ImageServerOptions extends StartOptions {
  readonly limits: ContainerLimits;
  /** For its log and messages. */
  readonly name: string;
}

/**
 * Starts a container of an image, publishes the port that serves the environment on the loopback interface, and waits until
 * it is ready. The container ends with this process. Rejects with `ServerError`, and removes the container in that case.
 */
export async function startImageServer(
  image: string,
  { what, port, scheme, variables, ready }: ImageService,
  options: ImageServerOptions,
): Promise<StartedServer> {
  const { docker, limits, owner, name, progress, log, signal } = options;
  if (limits.network === 'none') {
    const message =
      'The environment is reached over the network of its container: set metadata.docker.network to bridge.';
    throw new ServerError('start_failed', message);
  }
  progress('Starting the environment');
  const start = await imageStart(docker, image);
  const createOptions = customCreateOptions({ image, start, hostConfig: {}, limits, owner, publish: port, variables });
  const container = await ControllerContainer.start(docker, createOptions, (text) => log(`[${name}] ${text}`), signal);
  try {
    const address = `${scheme}://127.0.0.1:${await publishedPort(container, port)}`;
    const exit = container.whenEnded.then(({ exitReason }) => exitReason);
    const { id, logLines } = container;
    return {
      ...(await ready({ address, logLines, exit, signal })),
      name,
      address,
      id,
      logLines,
      exit,
      usage: () => container.usage(),
      stop: () => container.close(),
    };
  } catch (error) {
    await container.close();
    signal.throwIfAborted();
    const message = `The ${what} ${name} ${(error as Error).message}.${container.logLines.lastOutput()}`;
    throw new ServerError('start_failed', message, { cause: error });
  }
}

async function publishedPort({ container, whenEnded }: ControllerContainer, port: number): Promise<string> {
  // A container that has ended has no ports, and is removed.
  const about = await container.inspect().catch(() => null);
  const hostPort = about?.NetworkSettings.Ports[`${port}/tcp`]?.[0]?.HostPort;
  if (hostPort !== undefined) return hostPort;
  throw new Error(about?.State.Running === true ? `has no published port ${port}` : (await whenEnded).exitReason);
}
