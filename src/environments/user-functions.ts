import type { Beside } from '../functions/user/beside.ts';
import type { Controllers } from '../functions/user/controllers.ts';
import type { CustomTaskNames } from '../functions/user/custom-tasks.ts';
import type { UserSignature } from '../functions/user/names.ts';
import type { LeftOutOf } from './coding/search.ts';

/** What the `*.functions.*` files beside the tasks export, by name. */
export interface UserFunctions extends ReadonlyMap<string, UserSignature> {
  /** The custom tasks that are registered there; absent where nobody has looked. */
  readonly customTasks?: CustomTaskNames;
  /** Controllers of custom environments there; absent where nobody has looked. */
  readonly controllers?: Controllers;
  /** What files and folders there are; absent where nobody has looked. */
  readonly beside?: Beside;
  /** What a coding task does not get of a folder there; absent where nobody has searched. */
  readonly leftOutOf?: LeftOutOf;
}
