import type Docker from 'dockerode';
import { isAbandoned, OWNER_LABEL, type Owner } from './owner.ts';

/** Removes the containers whose owners have ended. Resolves with their ids. */
export async function removeAbandoned(docker: Docker, self: Owner): Promise<string[]> {
  const containers = await docker.listContainers({ all: true, filters: { label: [OWNER_LABEL] } });
  const removed = await Promise.all(
    containers.map(async ({ Id, Labels }) => {
      if (!(await isAbandoned(Labels[OWNER_LABEL], self))) return [];
      await removeContainer(docker, Id);
      return [Id];
    }),
  );
  return removed.flat();
}

/** Removes a container by force. Succeeds if it is already gone. */
export async function removeContainer(docker: Docker, id: string): Promise<void> {
  try {
    await docker.getContainer(id).remove({ force: true, v: true });
  } catch (error) {
    const { statusCode } = error as { statusCode?: number };
    if (statusCode !== 404 && statusCode !== 409) throw error;
  }
}
