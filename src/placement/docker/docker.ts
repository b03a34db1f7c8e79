import type { ContainerLimits } from '../../tasks/placement-options.ts';
import type { Capacity } from '../capacity.ts';

/** Options of a Docker placement. */
export interface DockerPlacementOptions {
  /** The installation folder of Taskwright, with `dist`, `docker`, and `node_modules`. */
  readonly installation: string;
  /** Docker hosts to distribute runs over: addresses as in `DOCKER_HOST`, or contexts. Empty: the one that Docker uses. */
  readonly hosts?: readonly string[];
  /** Default limits. Each key of `metadata.docker` of a task takes precedence. */
  readonly limits: Partial<ContainerLimits>;
  /** Number of containers to keep ready once Docker was used, of which each host has its share, rounded up; 0 for none. */
  readonly warm: number;
  /** The folder of the MiniWoB++ pages; located automatically if absent. */
  readonly miniwob?: string;
  /** Ports of this machine that no task reaches. */
  readonly refusedPorts?: readonly number[];
  /** Receives the log of servers. */
  log(text: string): void;
  /** Called when an image build starts. */
  onBuild?(build: ImageBuild): void;
}

/** Options of a placement in a swarm. */
export interface SwarmPlacementOptions
  extends Pick<DockerPlacementOptions, 'installation' | 'limits' | 'refusedPorts' | 'log' | 'onBuild'> {
  /** How many environments run at the same time, if there is room for them. */
  readonly lanes: number;
  /** Where nodes get images from, such as `registry.example.com/me`; null: images are copied to the hosts. */
  readonly registry: string | null;
  /** A manager of the swarm, then hosts to copy images to; see `DockerPlacementOptions`. Empty: the one that Docker uses. */
  readonly hosts: readonly string[];
  /** Called once if nodes do not have the images and get no lanes. */
  onNodesWithoutImages(without: number, all: number): void;
}

/** Options of a placement in Kubernetes. */
export interface KubernetesPlacementOptions extends Omit<SwarmPlacementOptions, 'onNodesWithoutImages'> {
  /** Null: the one of the context of kubectl. */
  readonly namespace: string | null;
}

/** The current step of a build. */
export interface BuildStep {
  readonly step: number;
  readonly steps: number;
  /** What it does, if the Dockerfile has a comment. */
  readonly label: string | null;
}

/** A running image build. */
export interface ImageBuild {
  readonly tag: string;
  /** Calls the listener with each line of output and the current step. Returns a function that removes the listener. */
  onLine(listener: (line: string, at: BuildStep) => void): () => void;
  /** Resolves when the build has ended in any way. */
  readonly whenEnded: Promise<{ readonly built: boolean }>;
  /** Cancels the build. All callers that wait for it are rejected. */
  cancel(): void;
}

/** A Docker host to examine. */
export interface DockerQuery {
  /** An address as in `DOCKER_HOST`, or a context; absent: the host that Docker itself uses. */
  readonly host?: string;
  readonly signal?: AbortSignal;
}

/** The state of a Docker host for diagnostics. */
export type DockerState =
  | {
      readonly found: true;
      /** Address of the daemon: `unix:///var/run/docker.sock`. */
      readonly host: string;
      /** The source of the address: `DOCKER_HOST`, a context, or the default. */
      readonly by: string;
      readonly version: string;
      /** Whether the daemon can mount folders of this machine. */
      readonly local: boolean;
      readonly room: Capacity;
      /** One image of each kind. */
      readonly images: readonly { readonly tag: string; readonly built: boolean }[];
      /** Absent if it was not asked. */
      readonly swarm?: SwarmState;
    }
  | {
      readonly found: false;
      /** The address with the reason. */
      readonly tried: readonly string[];
      readonly message: string;
      /** What the user can do, as a sentence. */
      readonly fix: string;
    };

/** The state of a swarm or of a Kubernetes cluster for diagnostics. */
export type SwarmState =
  | {
      readonly found: true;
      readonly nodes: number;
      /** How many nodes are ready for lanes. */
      readonly ready: number;
      /** Of the nodes that are ready. */
      readonly room: Capacity;
    }
  | { readonly found: false; readonly message: string };

/** What was found of a Kubernetes cluster. */
export type KubernetesState =
  | {
      readonly found: true;
      /** The context of kubectl. */
      readonly context: string;
      /** Where lanes would be created. */
      readonly namespace: string;
      /** `1.31.2` */
      readonly version: string;
      /** As of a swarm; null if the user may not list nodes. */
      readonly nodes: { readonly nodes: number; readonly ready: number; readonly room: Capacity } | null;
      /** Why it cannot run lanes, and what to do; null if it can. */
      readonly problem: string | null;
    }
  | { readonly found: false; readonly message: string };

/** Options for building an image that contains tasks. */
export interface TaskImageOptions {
  readonly installation: string;
  /** Absolute path of the folder with the tasks. */
  readonly folder: string;
  /** Name of the image, with or without a tag. */
  readonly tag: string;
  /** Whether to include solutions and agents. */
  readonly solutions: boolean;
  readonly signal: AbortSignal;
  progress(text: string): void;
  onBuild?(build: ImageBuild): void;
}

/** An image that contains tasks. */
export interface TaskImage {
  readonly tag: string;
  /** `sha256:…` */
  readonly id: string;
  /** The browser image that it is based on. */
  readonly base: string;
  readonly files: number;
  readonly bytes: number;
}
