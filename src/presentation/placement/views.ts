import * as l10n from '@vscode/l10n';
import type { PlacementKind } from '../../tasks/placement-kind.ts';

/** How the editor shows a kind of placement. */
export interface PlacementView {
  readonly label: string;
  /** Name of a theme icon. */
  readonly icon: string;
  /** What it means for a task to run there, as one line of a picker. */
  readonly detail: string;
  /** One of its environments, by the id of its process or container. */
  environment(id: string): string;
  /** A task that runs there, in the status bar. */
  task(name: string): string;
}

export const PLACEMENT_VIEWS: Readonly<Record<PlacementKind, PlacementView>> = {
  local: {
    label: l10n.t('This Machine'),
    icon: 'vm',
    detail: l10n.t('Starts immediately. Can access everything that you can access.'),
    environment: (id) => l10n.t('Process {0} on this machine', id),
    task: (name) => name,
  },
  docker: {
    label: 'Docker',
    icon: 'package',
    detail: l10n.t('A container for each run, with resource limits. Can access only the task folder.'),
    environment: (id) => l10n.t('Container {0}', id.slice(0, 12)),
    task: (name) => l10n.t('{0} in Docker', name),
  },
  swarm: {
    label: 'Docker Swarm',
    icon: 'server-environment',
    detail: l10n.t('Lanes on the nodes of a swarm, with resource limits. Can access only the task folder.'),
    environment: (id) => l10n.t('Lane {0}', id.slice(0, 12)),
    task: (name) => l10n.t('{0} in Docker Swarm', name),
  },
  kubernetes: {
    label: 'Kubernetes',
    icon: 'cloud',
    detail: l10n.t('Lanes on the nodes of a cluster, with resource limits. Can access only the task folder.'),
    environment: (id) => l10n.t('Lane {0}', id),
    task: (name) => l10n.t('{0} in Kubernetes', name),
  },
};
