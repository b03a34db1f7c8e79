import type Docker from 'dockerode';
import { readLines } from '../../server/log.ts';
import { attach, type DockerError, dockerMessage } from '../docker/attached-container.ts';
import { removeContainer } from '../docker/remove.ts';
import type { RunningRelay } from '../lanes/engine.ts';
import { type Lane, LaneHub } from '../lanes/hub.ts';
import { ServerError } from '../placement.ts';
import { relayContainer } from './service.ts';

/** Starts the relay on the daemon of the manager. Rejects with `container_start_failed`. */
export async function startRelay(
  docker: Docker,
  options: Parameters<typeof relayContainer>[0] & {
    readonly secret: string;
    onLane(lane: Lane): void;
    log(text: string): void;
  },
): Promise<RunningRelay> {
  const container = await docker.createContainer(relayContainer(options)).catch(notStarted);
  try {
    const { stream, output, errors } = await attach(container);
    void readLines(errors, (text) => options.log(`Relay: ${text}`));
    await container.start();
    const { promise, resolve } = Promise.withResolvers<string>();
    const hub = new LaneHub({
      input: output,
      output: stream,
      secret: options.secret,
      onLane: options.onLane,
      onEnd: resolve,
    });
    const close = async (): Promise<void> => {
      hub.close();
      stream.end();
      await removeContainer(docker, container.id);
      stream.destroy();
    };
    return { whenEnded: promise, close };
  } catch (error) {
    await removeContainer(docker, container.id);
    return notStarted(error as DockerError);
  }
}

function notStarted(error: DockerError): never {
  const message = `Docker could not start the relay of the lanes: ${dockerMessage(error)}`;
  throw new ServerError('container_start_failed', message, { cause: error });
}
