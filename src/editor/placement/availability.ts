import * as l10n from '@vscode/l10n';
import type { Capacity } from '../../placement/capacity.ts';
import type { DockerState, KubernetesState, SwarmState } from '../../placement/docker/docker.ts';
import { formatMemory } from '../../presentation/placement/format.ts';
import { joinTexts } from '../../presentation/plain-text.ts';
import { plural } from '../../presentation/plural.ts';

/** Whether tasks can run in a place, and how. */
export type PlaceAvailability =
  | {
      /** Null if it is not known. */
      readonly room: Capacity | null;
      /** Version of its engine, if it has one. */
      readonly version?: string;
      /** Several hosts together, of which some may not be available. */
      readonly hosts?: { readonly available: number; readonly all: number };
      /** Of a swarm or a cluster. */
      readonly nodes?: { readonly ready: number; readonly all: number };
      /** The first run takes longer, because an image is built. */
      readonly buildsImage?: boolean;
      /** What the user should know before choosing it. */
      readonly note?: string;
    }
  /** Why it cannot be used, and what to do. */
  | { readonly problem: string };

export function dockerAvailability(state: DockerState): PlaceAvailability {
  if (!state.found) return { problem: [`${state.tried[0] ?? state.message}.`, state.fix].join(' ').trim() };
  const { version, room, images } = state;
  return { version, room, buildsImage: !images.some(({ built }) => built) };
}

/** @param registry from which nodes get images; null: only the node of the manager has them */
export function swarmAvailability(docker: DockerState, registry: string | null): PlaceAvailability {
  const state = docker.found ? docker.swarm : undefined;
  if (state === undefined) return dockerAvailability(docker);
  const availability = nodesAvailability(state);
  if (!state.found || state.nodes === 1 || registry !== null) return availability;
  return {
    ...availability,
    note: l10n.t('Only the manager runs tasks. Set taskwright.swarm.registry to use all nodes.'),
  };
}

function nodesAvailability(state: SwarmState): PlaceAvailability {
  if (!state.found) return { problem: state.message };
  return { nodes: { ready: state.ready, all: state.nodes }, room: state.room };
}

export function kubernetesAvailability(state: KubernetesState): PlaceAvailability {
  if (!state.found) return { problem: state.message };
  const { version, nodes, problem } = state;
  if (problem !== null) return { problem };
  return { version, ...(nodes === null ? { room: null } : nodesAvailability({ found: true, ...nodes })) };
}

/** Several hosts together. */
export function hostsAvailability(states: readonly DockerState[]): PlaceAvailability {
  const rooms = states
    .map(dockerAvailability)
    .flatMap((one) => ('room' in one && one.room !== null ? [{ ...one, room: one.room }] : []));
  const [first] = states;
  if (rooms.length === 0 && first !== undefined) return dockerAvailability(first);
  const sum = (of: (room: Capacity) => number): number => rooms.reduce((total, { room }) => total + of(room), 0);
  return {
    hosts: { available: rooms.length, all: states.length },
    room: {
      cpus: sum(({ cpus }) => cpus),
      memory: sum(({ memory }) => memory),
      containers: sum(({ containers }) => containers ?? 0),
    },
    buildsImage: rooms.some(({ buildsImage }) => buildsImage === true),
  };
}

/** `28.2.2 · 2 CPUs · 7.8 GB · 3 containers running` */
export function describeAvailability(availability: PlaceAvailability): string {
  if ('problem' in availability) return l10n.t('not available');
  const { version = '', hosts, nodes, buildsImage = false, room } = availability;
  const parts = [
    version,
    hosts === undefined ? '' : l10n.t('{0} of {1} hosts', hosts.available, hosts.all),
    nodes === undefined
      ? ''
      : plural(
          nodes.all,
          l10n.t('{0} of 1 node ready', nodes.ready),
          l10n.t('{0} of {1} nodes ready', nodes.ready, nodes.all),
        ),
    ...(room === null ? [] : describeCapacity(room)),
    buildsImage ? l10n.t('builds the image on first use') : '',
  ];
  return joinTexts(parts, ' · ');
}

function describeCapacity({ cpus, memory, containers }: Capacity): readonly string[] {
  return [
    plural(cpus, l10n.t('1 CPU'), l10n.t('{0} CPUs', cpus)),
    formatMemory(memory),
    containers === null
      ? ''
      : plural(containers, l10n.t('1 container running'), l10n.t('{0} containers running', containers)),
  ];
}
