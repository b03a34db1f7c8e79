import type { JsonObject } from '../base/json.ts';
import type { Beside } from '../functions/user/beside.ts';
import type { Controllers } from '../functions/user/controllers.ts';
import type { CustomTaskNames } from '../functions/user/custom-tasks.ts';
import type { UserSignature } from '../functions/user/names.ts';
import type { HudTemplate } from './hud-template.ts';
import type { ElsewhereOf, LeftOutOf } from './withheld-search.ts';

/** The exports of the `*.functions.*` files beside the tasks, by name. */
export interface UserFunctions extends ReadonlyMap<string, UserSignature> {
  /** The registered custom tasks; absent if they were not read. */
  readonly customTasks?: CustomTaskNames;
  /** The controllers of custom environments; absent if they were not read. */
  readonly controllers?: Controllers;
  /** The files and folders; absent if they were not listed. */
  readonly beside?: Beside;
  /** Files that a coding task withholds from the agent; absent if they were not searched. */
  readonly leftOutOf?: LeftOutOf;
  /** What a folder lacks that is in submodules or Git LFS; absent if it was not searched. */
  readonly elsewhereOf?: ElsewhereOf;
  /** The templates of the environment of a row of HUD 0.6, as far as its server was asked. */
  readonly templatesOf?: (row: JsonObject) => readonly HudTemplate[] | undefined;
}
