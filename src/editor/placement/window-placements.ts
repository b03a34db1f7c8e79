import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { agentPorts } from '../../agents/registry.ts';
import { defined } from '../../base/defined.ts';
import type { HudInDocker } from '../../environments/kind.ts';
import { localCapacity } from '../../placement/capacity.ts';
import type {
  DockerQuery,
  DockerState,
  KubernetesState,
  SwarmPlacementOptions,
} from '../../placement/docker/docker.ts';
import type { PresentServer } from '../../placement/docker/present-server.ts';
import type { Placement, RunningEnvironment } from '../../placement/placement.ts';
import { Placements } from '../../placement/placements.ts';
import { PLACEMENT_KINDS, type PlacementKind } from '../../tasks/placement-kind.ts';
import { Disposable } from '../lifecycle.ts';
import { offerCommand, showWarning } from '../notifications.ts';
import { affects, settings } from '../settings.ts';
import {
  dockerAvailability,
  hostsAvailability,
  kubernetesAvailability,
  type PlaceAvailability,
  swarmAvailability,
} from './availability.ts';
import { ImageBuilds } from './image-build.ts';

/** The settings that placements of a kind are created with. */
const SETTINGS: Readonly<Record<PlacementKind, readonly string[]>> = {
  local: ['browser.path', 'miniwob'],
  docker: ['docker', 'miniwob'],
  swarm: ['swarm', 'docker', 'miniwob'],
  kubernetes: ['kubernetes', 'docker', 'miniwob'],
};

/** The placements that a job or another user holds until it disposes this object. */
export interface PlacementsInUse extends vscode.Disposable {
  get(kind: PlacementKind): Promise<Placement>;
}

/** The placements of this window, one of each kind, created when first needed. */
export class WindowPlacements extends Disposable {
  readonly builds: ImageBuilds;
  readonly #context: vscode.ExtensionContext;
  readonly #log: vscode.LogOutputChannel;
  readonly #placements: Placements;
  readonly #create: Readonly<Record<PlacementKind, () => Promise<Placement>>> = {
    local: async () => {
      const { localPlacement } = await import('../../placement/local.ts');
      return localPlacement({
        serverProgram: vscode.Uri.joinPath(this.#context.extensionUri, 'dist', 'server.js').fsPath,
        log: (text) => this.#log.debug(text),
        refusedPorts: await agentPorts(),
        ...defined({ browser: settings.browserPath(), miniwob: settings.miniwobFolder() }),
      });
    },
    docker: async () => {
      const { dockerSettings } = await import('./docker-settings.ts');
      const { warm, hosts } = dockerSettings(settings.docker);
      const miniwob = settings.miniwobFolder();
      const { dockerPlacement } = await loadContainers();
      return dockerPlacement({ ...(await this.#containerOptions()), warm, hosts, ...defined({ miniwob }) });
    },
    swarm: async () => {
      const { swarmPlacement } = await loadContainers();
      return swarmPlacement({
        ...(await this.#containerOptions()),
        lanes: settings.swarmLanes(),
        registry: settings.swarmRegistry(),
        onNodesWithoutImages: warnOfNodesWithoutImages,
      });
    },
    kubernetes: async () => {
      const { kubernetesPlacement } = await loadContainers();
      return kubernetesPlacement({
        ...(await this.#containerOptions()),
        lanes: settings.kubernetesLanes(),
        registry: settings.kubernetesRegistry(),
        namespace: settings.kubernetesNamespace(),
      });
    },
  };
  readonly #find: Readonly<Record<PlacementKind, (signal: AbortSignal) => Promise<PlaceAvailability>>> = {
    local: async () => ({ room: localCapacity() }),
    docker: async (signal) => {
      const { configuredHosts } = await import('./docker-settings.ts');
      const hosts = configuredHosts(settings.docker);
      if (hosts.length === 0) return dockerAvailability(await this.findDocker({ signal }));
      return hostsAvailability(await Promise.all(hosts.map((host) => this.findDocker({ host, signal }))));
    },
    swarm: async (signal) => swarmAvailability(await this.findDocker({ signal }), settings.swarmRegistry()),
    kubernetes: async () => kubernetesAvailability(await this.findKubernetes()),
  };
  /** Created with settings that have changed since. */
  readonly #outdatedKinds = new Set<PlacementKind>();
  /** The kinds that each user has. */
  readonly #users = new Set<ReadonlySet<PlacementKind>>();

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel) {
    super();
    this.#context = context;
    this.#log = log;
    this.builds = this.register(new ImageBuilds());
    this.#placements = new Placements((kind) => this.#create[kind]());
    this.register(
      vscode.workspace.onDidChangeConfiguration((event) => {
        for (const kind of PLACEMENT_KINDS)
          if (SETTINGS[kind].some((key) => affects(event, key))) this.#outdatedKinds.add(kind);
      }),
    );
  }

  /** Placements for a new user. Those whose settings have changed are replaced once no user has them. */
  use(): PlacementsInUse {
    const kinds = new Set<PlacementKind>();
    this.#users.add(kinds);
    return {
      get: async (kind) => {
        const isUsed = [...this.#users].some((user) => user.has(kind));
        kinds.add(kind);
        if (!isUsed && this.#outdatedKinds.delete(kind)) await this.#placements.dispose(kind);
        return this.#placements.get(kind);
      },
      dispose: () => this.#users.delete(kinds),
    };
  }

  /** The running environments of this window. */
  async running(): Promise<readonly RunningEnvironment[]> {
    return (await this.#placements.all()).flatMap((placement) => placement.running());
  }

  /** The availability of a kind of placement. Never rejects. */
  find(kind: PlacementKind, signal: AbortSignal): Promise<PlaceAvailability> {
    return this.#find[kind](signal);
  }

  async findDocker(query?: DockerQuery): Promise<DockerState> {
    return (await loadContainers()).findDocker(this.#context.extensionUri.fsPath, query);
  }

  async findKubernetes(): Promise<KubernetesState> {
    return (await loadContainers()).findKubernetes(settings.kubernetesNamespace());
  }

  /** The Docker contexts of the user, without the default one. */
  async dockerContexts(): Promise<readonly string[]> {
    return (await loadContainers()).dockerContexts();
  }

  /** A HUD environment in Docker that starts without a pull or a build; null if it does not. See `findPresent`. */
  async findPresent(source: HudInDocker, signal: AbortSignal): Promise<PresentServer | null> {
    const { dockerSettings } = await import('./docker-settings.ts');
    const { limits } = dockerSettings(settings.docker);
    return (await loadContainers()).findPresent(source, { limits, signal, log: (text) => this.#log.debug(text) });
  }

  /** Stops all environments. */
  end(): Promise<void> {
    return this.#placements.dispose();
  }

  /** What all placements in containers have in common. */
  async #containerOptions(): Promise<Omit<SwarmPlacementOptions, 'lanes' | 'registry' | 'onNodesWithoutImages'>> {
    const { dockerSettings } = await import('./docker-settings.ts');
    return {
      installation: this.#context.extensionUri.fsPath,
      limits: dockerSettings(settings.docker).limits,
      hosts: [],
      log: (text) => this.#log.debug(text),
      refusedPorts: await agentPorts(),
      onBuild: (build) => this.builds.follow(build),
    };
  }
}

async function loadContainers() {
  return (await import('../../placement/load-containers.ts')).loadDocker();
}

function warnOfNodesWithoutImages(without: number, all: number): void {
  const message = l10n.t(
    '{0} of {1} nodes of the swarm have no image and run no tasks. Set a registry that all nodes reach.',
    without,
    all,
  );
  const setting = 'taskwright.swarm.registry';
  offerCommand(showWarning, message, l10n.t('Open Settings'), 'workbench.action.openSettings', setting);
}
