import type Docker from 'dockerode';
import { patient } from '../../base/patience.ts';
import { withLimit } from '../../base/timeout.ts';
import { ServerError } from '../placement.ts';
import { isAbandoned, OWNER_LABEL, type Owner } from './owner.ts';

/**
 * Removes the containers whose owners have ended, and the networks and volumes of their Compose projects. Resolves with the ids
 * of the containers.
 */
export async function removeAbandoned(docker: Docker, self: Owner): Promise<string[]> {
  const containers = await docker.listContainers({ all: true, filters: { label: [OWNER_LABEL] } });
  const ids = await Promise.all(
    containers.map(async ({ Id, Labels }) => {
      if (!(await isAbandoned(Labels[OWNER_LABEL], self))) return [];
      await removeContainer(docker, Id);
      return [Id];
    }),
  );
  await removeAbandonedParts(docker, self);
  return ids.flat();
}

async function removeAbandonedParts(docker: Docker, self: Owner): Promise<void> {
  const filters = { label: [OWNER_LABEL] };
  const [networks, { Volumes: volumes }] = await Promise.all([
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ]);
  const parts = [
    ...networks.map(({ Id, Labels }) => ({ labels: Labels, part: docker.getNetwork(Id) })),
    ...volumes.map(({ Name, Labels }) => ({ labels: Labels, part: docker.getVolume(Name) })),
  ];
  for (const { labels, part } of parts) {
    if (!(await isAbandoned(labels?.[OWNER_LABEL], self))) continue;
    // It is gone already, or something else uses it.
    await part.remove().catch(ignoring(403, 404, 409));
  }
}

/** For `catch`: ignores errors of the daemon with one of these HTTP statuses. */
export function ignoring(...statusCodes: readonly number[]): (error: { readonly statusCode?: number }) => void {
  return (error) => {
    if (!statusCodes.includes(error.statusCode ?? 0)) throw error;
  };
}

/** Time limit for the removal of a container, in ms: a daemon that hangs, or a host that is gone, does not answer. */
const REMOVE_LIMIT = 60_000;
/** How long to wait for a container that another request is removing, in ms. */
const REMOVAL_LIMIT = patient(10_000);

/**
 * Removes a container by force. Succeeds if it is already gone, and waits if another request is removing it. Rejects with
 * `docker_gone` if the daemon does not answer.
 */
export async function removeContainer(docker: Docker, id: string): Promise<void> {
  const container = docker.getContainer(id);
  const message = `Docker did not remove the container ${id.slice(0, 12)} within ${REMOVE_LIMIT / 1000} s.`;
  const remove = (abortSignal: AbortSignal): Promise<unknown> =>
    container.remove({ force: true, v: true, abortSignal });
  try {
    await withLimit(REMOVE_LIMIT, undefined, remove, (cause) => new ServerError('docker_gone', message, { cause }));
  } catch (error) {
    const { statusCode } = error as { statusCode?: number };
    if (statusCode === 409) {
      // It may be gone meanwhile. If Docker cannot remove it, the other request reports that.
      const abortSignal = AbortSignal.timeout(REMOVAL_LIMIT);
      await container.wait({ condition: 'removed', abortSignal }).catch(() => {});
    } else if (statusCode !== 404) throw error;
  }
}
