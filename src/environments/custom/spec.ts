import type { EnvironmentSpec, Json } from '../../tasks/task.ts';

/** What a task says of its custom environment: HUD 0.2's `CustomGym`, in the keys of all its releases. */
export interface CustomSpec {
  /**
   * The folder of the build context, relative to the task file: one that is spelled as a path, or
   * `controller_source_dir`. Null where an image is named.
   */
  readonly context: string | null;
  /** Name of an image; where a folder of that name stands beside the task file it is that folder. */
  readonly image: string | null;
  /** Text of the Dockerfile (`dockerfile`, up to HUD 0.2.4); null: the one in the context. */
  readonly dockerfile: string | null;
  /** `remote`: where HUD's own service runs; here, the Docker host that is set up. */
  readonly location: 'local' | 'remote';
  /** Docker's HostConfig. */
  readonly hostConfig: Readonly<Record<string, Json>>;
}

/** Why a run of a custom environment is not judged again. */
export const NOT_RECORDED = 'what a controller knows is not recorded: run the task again to judge this';

/** Begins as a path does, and as no name of an image can. */
const PATH = /^(?:\.{0,2}[/\\]|\.{1,2}$|~|[A-Za-z]:[/\\])/;

/** Reads the description of a custom environment, leniently: what is wrong with it is for the findings to say. */
export function readCustom(spec: EnvironmentSpec): CustomSpec {
  const named = text(spec['image_or_build_context']) ?? text(spec['image_uri']);
  const source = text(spec['controller_source_dir']);
  const isPath = named !== null && PATH.test(named);
  const host = spec['host_config'];
  return {
    context: isPath ? named : named === null ? source : null,
    image: isPath ? null : named,
    dockerfile: text(spec['dockerfile']),
    location: spec['location'] === 'remote' ? 'remote' : 'local',
    hostConfig:
      typeof host === 'object' && host !== null && !Array.isArray(host) ? (host as CustomSpec['hostConfig']) : {},
  };
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
