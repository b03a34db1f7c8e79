import type Docker from 'dockerode';
import type { ContainerLimits } from '../../tasks/placement-options.ts';
import { untilHealthy } from '../openenv/health.ts';
import { ServerError } from '../placement.ts';
import type { StartedServer } from '../shared-servers.ts';
import { ControllerContainer } from './custom/container.ts';
import { customCreateOptions } from './custom/create-options.ts';
import { imageStart, namedImage } from './custom/open.ts';

/** The port that OpenEnv's images serve on. */
const PORT = 8000;
/** How many log lines an error message includes. */
const LAST_LINES = 20;

export interface ImageServerOptions {
  readonly docker: Docker;
  readonly limits: ContainerLimits;
  /** Value of the owner label. */
  readonly owner: string;
  progress(text: string): void;
  log(text: string): void;
  readonly signal: AbortSignal;
}

/**
 * Starts a container of an image that serves OpenEnv, publishes its port on the loopback interface, and waits until it is
 * ready. The container ends with this process. Rejects with `ServerError`, and removes the container in that case.
 */
export async function startImageServer(name: string, options: ImageServerOptions): Promise<StartedServer> {
  const { docker, limits, owner, progress, log, signal } = options;
  if (limits.network === 'none') {
    const message =
      'The environment is reached over the network of its container: set metadata.docker.network to bridge.';
    throw new ServerError('start_failed', message);
  }
  const image = await namedImage(name, options);
  progress('Starting the environment');
  const start = await imageStart(docker, image);
  const made = customCreateOptions({ image, start, hostConfig: {}, limits, owner, publish: PORT });
  const container = await ControllerContainer.start(docker, made, (text) => log(`[${name}] ${text}`), signal);
  try {
    const address = `http://127.0.0.1:${await publishedPort(container)}`;
    let running = true;
    const ended = container.ended.then(({ exitReason }) => {
      running = false;
      return exitReason;
    });
    await untilHealthy(address, ended, signal);
    return {
      address,
      id: container.id,
      logLines: container.logLines,
      get running() {
        return running;
      },
      usage: () => container.usage(),
      stop: () => container.close(),
    };
  } catch (error) {
    await container.close();
    signal.throwIfAborted();
    const said = container.logLines.slice(-LAST_LINES).join('\n');
    const why = (error as Error).message;
    throw new ServerError(
      'start_failed',
      `The OpenEnv image ${name} ${why}.${said === '' ? '' : ` Last output:\n${said}`}`,
      {
        cause: error,
      },
    );
  }
}

async function publishedPort({ container, ended }: ControllerContainer): Promise<string> {
  // A container that has ended has no ports, and is removed.
  const about = await container.inspect().catch(() => null);
  const port = about?.NetworkSettings.Ports[`${PORT}/tcp`]?.[0]?.HostPort;
  if (port !== undefined) return port;
  throw new Error(about?.State.Running === true ? `has no published port ${PORT}` : (await ended).exitReason);
}
