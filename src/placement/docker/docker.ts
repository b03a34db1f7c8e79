import type { ContainerLimits } from '../../tasks/placement-options.ts';

/** What a Docker placement needs of whoever makes it. */
export interface DockerPlacementOptions {
  /** The folder that Taskwright is installed in: `dist`, `docker` and `node_modules` stand in it. */
  readonly installed: string;
  /** What every container may use; a task's `metadata.docker` wins, key by key. */
  readonly limits: Partial<ContainerLimits>;
  /** Containers that are kept ready once Docker was used. 0 keeps none. */
  readonly warm: number;
  /** The folder of the pages of MiniWoB++; looked for where absent. */
  readonly miniwob?: string;
  /** Told what servers say. */
  log(text: string): void;
  /** Told that an image is built now, for everyone who waits for it. */
  onBuild?(build: ImageBuild): void;
}

/** An image that is being built. */
export interface ImageBuild {
  readonly tag: string;
  /** Calls with each line that the build says, and the step it is at. Returns the function that stops listening. */
  onLine(listener: (line: string, at: { readonly step: number; readonly steps: number }) => void): () => void;
  /** Resolves when it has ended, however it ended. */
  readonly ended: Promise<{ readonly built: boolean }>;
  /** Gives it up: whoever waits for it is told. */
  cancel(): void;
}

/** What there is of Docker, for those who look what is missing. */
export type DockerState =
  | {
      readonly found: true;
      /** Where it was found: `unix:///var/run/docker.sock`. */
      readonly host: string;
      /** What named it: `DOCKER_HOST`, a context's name, or the usual place. */
      readonly by: string;
      readonly version: string;
      /** The daemon runs on this machine and sees its folders. */
      readonly local: boolean;
      /** One of each kind. */
      readonly images: readonly { readonly tag: string; readonly built: boolean }[];
    }
  | { readonly found: false; readonly tried: readonly string[]; readonly message: string };

/** What an image with tasks in it is made of. */
export interface TaskImageOptions {
  /** As in `DockerPlacementOptions`. */
  readonly installed: string;
  /** Absolute path of the folder that holds the tasks. */
  readonly folder: string;
  /** Name of the image, with or without a tag. */
  readonly tag: string;
  /** Solutions and agents go into it too. */
  readonly solutions: boolean;
  readonly signal: AbortSignal;
  progress(text: string): void;
  onBuild?(build: ImageBuild): void;
}

/** An image with tasks in it. */
export interface TaskImage {
  readonly tag: string;
  /** `sha256:…` */
  readonly id: string;
  /** The browser image that it was made from. */
  readonly base: string;
  readonly files: number;
  readonly bytes: number;
}
