import type { PlacementKind } from '../placement.ts';
import type { ContainerLimits } from './limits.ts';

/** What a Docker placement needs of whoever makes it. */
export interface DockerPlacementOptions {
  /** The folder that Taskwright is installed in: `dist`, `docker` and `node_modules` stand in it. */
  readonly installed: string;
  /** What every container may use; a task's `metadata.docker` wins, key by key. */
  readonly limits: Partial<ContainerLimits>;
  /** Containers that are kept ready once Docker was used. 0 keeps none. */
  readonly warm: number;
  /** Told what servers say. */
  log(text: string): void;
  /** Told each line of the building of an image. */
  buildLog?(text: string): void;
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
      readonly image: { readonly tag: string; readonly built: boolean };
    }
  | { readonly found: false; readonly tried: readonly string[]; readonly message: string };

/** A running environment, for those who list what runs. */
export interface RunningEnvironment {
  readonly placement: PlacementKind;
  /** Of a container its id; of a local server its process. */
  readonly id: string;
  /** File and name of the task; null while it is kept ready. */
  readonly task: string | null;
  readonly started: Date;
}
