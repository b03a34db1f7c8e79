import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { patient } from '../../base/patience.ts';
import { isAbandoned, KIND_LABEL, OWNER_LABEL, type Owner } from '../docker/owner.ts';
import { ignoring, removeContainer } from '../docker/remove.ts';

/** How long the containers of removed services may take to leave their network, in ms, and how often to look. */
const LEAVE_LIMIT = patient(20_000);
const LEAVE_PERIOD = 250;

/** Removes what an owner has in a swarm: services with their lanes, relays, and networks. `owns`: by the label. */
async function removeOf(docker: Docker, owns: (label: string | undefined) => Promise<boolean>): Promise<string[]> {
  const filters = { label: [OWNER_LABEL] };
  const [services, containers, networks] = await Promise.all([
    docker.listServices({ filters }),
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
  ]);
  const names: string[] = [];
  const eachOwned = async <T>(
    all: readonly T[],
    label: (one: T) => string | undefined,
    remove: (one: T) => Promise<void>,
  ) => {
    await Promise.all(all.map(async (one) => ((await owns(label(one))) ? await remove(one) : undefined)));
  };
  await eachOwned(
    services,
    ({ Spec }) => Spec?.Labels?.[OWNER_LABEL],
    async ({ ID }) => {
      await docker.getService(ID).remove().catch(ignoring(404));
      names.push(`service ${ID}`);
    },
  );
  await eachOwned(
    containers.filter(({ Labels }) => Labels[KIND_LABEL] === 'relay'),
    ({ Labels }) => Labels[OWNER_LABEL],
    async ({ Id }) => {
      await removeContainer(docker, Id);
      names.push(`container ${Id.slice(0, 12)}`);
    },
  );
  await eachOwned(
    networks,
    ({ Labels }) => Labels?.[OWNER_LABEL],
    async ({ Id }) => {
      await removeNetwork(docker, Id);
      names.push(`network ${Id}`);
    },
  );
  return names;
}

/** Removes everything with this label. Rejects if something cannot be removed. */
export async function removeOwned(docker: Docker, label: string): Promise<void> {
  await removeOf(docker, async (other) => other === label);
}

/** Removes what owners that have ended have left in the swarm. Resolves with what it was. */
export function removeAbandonedLanes(docker: Docker, self: Owner): Promise<string[]> {
  return removeOf(docker, (label) => isAbandoned(label, self));
}

/** Removes a network once nothing is connected to it any more. Succeeds if it is already gone. */
async function removeNetwork(docker: Docker, id: string): Promise<void> {
  const deadline = performance.now() + LEAVE_LIMIT;
  for (;;) {
    try {
      await docker.getNetwork(id).remove().catch(ignoring(404));
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(LEAVE_PERIOD);
    }
  }
}
