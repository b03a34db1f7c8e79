import * as l10n from '@vscode/l10n';
import { PLACEMENT_DESCRIPTORS } from '../../placement/descriptors.ts';
import type { RunningEnvironment, Usage } from '../../placement/placement.ts';
import { plural } from '../plural.ts';
import { formatUsage, hostName } from './format.ts';
import { PLACEMENT_VIEWS } from './views.ts';

/** Hosts of a placement that are listed one by one. */
const MAX_HOSTS = 10;

/** An environment with what it uses. */
export interface Loaded {
  readonly environment: Pick<RunningEnvironment, 'placement' | 'host' | 'tasks'>;
  readonly usage: Usage | null;
}

/** A row of the Environments view: `build-1` with `2 of 3 containers in use · 150 % · 1.2 GB`. */
export interface Load {
  /** Unique among the rows. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Name of a theme icon. */
  readonly icon: string;
}

/**
 * The load of each Docker host and each node, if there are several; before nodes, all lanes of their swarm or cluster:
 * `Docker Swarm` with `5 of 6 lanes in use on 3 nodes`.
 */
export function describeLoads(all: readonly Loaded[]): readonly Load[] {
  const loads: Load[] = [];
  const hosted = all.filter(({ environment: { host } }) => host !== undefined);
  const byPlacement = groupBy(hosted, ({ environment: { placement } }) => placement);
  for (const [placement, loaded] of byPlacement) {
    const { hasLanes } = PLACEMENT_DESCRIPTORS[placement];
    const byHost = groupBy(loaded, ({ environment: { host = '' } }) => host);
    if (hasLanes) {
      const nodes = plural(byHost.size, l10n.t('on 1 node'), l10n.t('on {0} nodes', byHost.size));
      const { label, icon } = PLACEMENT_VIEWS[placement];
      loads.push({ id: placement, label, icon, description: `${inUse(loaded, hasLanes)} ${nodes}` });
    }
    const hosts = [...byHost].sort(([one], [other]) => one.localeCompare(other, undefined, { numeric: true }));
    for (const [host, there] of hosts.slice(0, MAX_HOSTS)) {
      const parts = [inUse(there, hasLanes), formatUsage(sum(there))];
      const description = parts.filter((part) => part !== '').join(' · ');
      loads.push({ id: `${placement} ${host}`, label: hostName(host), icon: 'server', description });
    }
    const more = hosts.length - MAX_HOSTS;
    if (more > 0)
      loads.push({ id: `${placement} …`, label: l10n.t('{0} more', more), icon: 'ellipsis', description: '' });
  }
  return loads;
}

function inUse(loaded: readonly Loaded[], hasLanes: boolean): string {
  const busy = loaded.filter(({ environment: { tasks } }) => tasks.length > 0).length;
  return hasLanes
    ? plural(
        loaded.length,
        l10n.t('{0} of 1 lane in use', busy),
        l10n.t('{0} of {1} lanes in use', busy, loaded.length),
      )
    : plural(
        loaded.length,
        l10n.t('{0} of 1 container in use', busy),
        l10n.t('{0} of {1} containers in use', busy, loaded.length),
      );
}

/** What environments use together; null if nothing is known of it. */
function sum(loaded: readonly Loaded[]): Usage | null {
  const known = loaded.flatMap(({ usage }) => usage ?? []);
  if (known.length === 0) return null;
  const cpus = known.reduce((total, usage) => total + (usage.cpus ?? 0), 0);
  return { cpus, memory: known.reduce((total, { memory }) => total + memory, 0), memoryLimit: null };
}

function groupBy<T, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}
