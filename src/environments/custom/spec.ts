import { type JsonObject, objectOf, textOf } from '../../base/json.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';

/** The description of a custom environment: HUD 0.2's `CustomGym`, with the keys of all its releases. */
export interface CustomSpec {
  /**
   * The folder of the build context, relative to the task file: a path, or `controller_source_dir`. Null for an image.
   */
  readonly context: string | null;
  /** The name of an image. If a folder of that name exists next to the task file, it is that folder. */
  readonly image: string | null;
  /** The text of the Dockerfile (`dockerfile`, up to HUD 0.2.4); null for the one in the context. */
  readonly dockerfile: string | null;
  /** `remote` means HUD's service in HUD, and the configured Docker host here. */
  readonly location: 'local' | 'remote';
  /** Docker's HostConfig. */
  readonly hostConfig: JsonObject;
}

/** Why runs of custom environments cannot be re-scored. */
export const NOT_RECORDED = 'the state of a controller is not recorded: run the task again to judge this';

/** The beginning of a path. No image name begins like that. */
const PATH = /^(?:\.{0,2}[/\\]|\.{1,2}$|~|[A-Za-z]:[/\\])/;

/** Reads the description of a custom environment leniently, because findings report its problems. */
export function readCustom(spec: EnvironmentSpec): CustomSpec {
  const source = textOf(spec['image_or_build_context']) ?? textOf(spec['image_uri']);
  const isPath = source !== null && PATH.test(source);
  return {
    context: isPath ? source : source === null ? textOf(spec['controller_source_dir']) : null,
    image: isPath ? null : source,
    dockerfile: textOf(spec['dockerfile']),
    location: spec['location'] === 'remote' ? 'remote' : 'local',
    hostConfig: objectOf(spec['host_config']),
  };
}
