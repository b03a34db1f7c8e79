import * as l10n from '@vscode/l10n';
import { groupBy } from '../../base/group-by.ts';
import { PLACEMENT_DESCRIPTORS } from '../../placement/descriptors.ts';
import type { RunningEnvironment, Usage } from '../../placement/placement.ts';
import { joinTexts } from '../plain-text.ts';
import { plural } from '../plural.ts';
import { formatUsage, hostName } from './format.ts';
import { PLACEMENT_VIEWS } from './views.ts';

/** Hosts of a placement that are listed one by one. */
const MAX_HOSTS = 10;

/** An environment with what it uses. */
export interface EnvironmentUsage {
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
export function describeLoads(environments: readonly EnvironmentUsage[]): readonly Load[] {
  const loads: Load[] = [];
  const onHosts = environments.filter(({ environment: { host } }) => host !== undefined);
  for (const [placement, onPlacement] of groupBy(onHosts, ({ environment }) => environment.placement)) {
    const { hasLanes } = PLACEMENT_DESCRIPTORS[placement];
    const byHost = groupBy(onPlacement, ({ environment: { host = '' } }) => host);
    if (hasLanes) {
      const nodes = plural(byHost.size, l10n.t('on 1 node'), l10n.t('on {0} nodes', byHost.size));
      const { label, icon } = PLACEMENT_VIEWS[placement];
      loads.push({ id: placement, label, icon, description: `${inUse(onPlacement, hasLanes)} ${nodes}` });
    }
    const hosts = [...byHost].sort(([one], [other]) => one.localeCompare(other, undefined, { numeric: true }));
    for (const [host, onHost] of hosts.slice(0, MAX_HOSTS)) {
      const description = joinTexts([inUse(onHost, hasLanes), formatUsage(sum(onHost))], ' · ');
      loads.push({ id: `${placement} ${host}`, label: hostName(host), icon: 'server', description });
    }
    const more = hosts.length - MAX_HOSTS;
    if (more > 0)
      loads.push({ id: `${placement} …`, label: l10n.t('{0} more', more), icon: 'ellipsis', description: '' });
  }
  return loads;
}

function inUse(environments: readonly EnvironmentUsage[], hasLanes: boolean): string {
  const total = environments.length;
  const busy = environments.filter(({ environment: { tasks } }) => tasks.length > 0).length;
  return hasLanes
    ? plural(total, l10n.t('{0} of 1 lane in use', busy), l10n.t('{0} of {1} lanes in use', busy, total))
    : plural(total, l10n.t('{0} of 1 container in use', busy), l10n.t('{0} of {1} containers in use', busy, total));
}

/** The total use of environments; null if no use is known. */
function sum(environments: readonly EnvironmentUsage[]): Usage | null {
  const usages = environments.flatMap(({ usage }) => usage ?? []);
  if (usages.length === 0) return null;
  const cpus = usages.reduce((total, usage) => total + (usage.cpus ?? 0), 0);
  return { cpus, memory: usages.reduce((total, { memory }) => total + memory, 0), memoryLimit: null };
}
