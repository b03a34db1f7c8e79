import { defined } from '../base/defined.ts';
import { isObject } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import { isCustomTask } from '../environments/browser/browsergym/browsergym.ts';
import type { UserFunctions } from '../environments/user-functions.ts';
import type { CustomTaskName } from '../functions/user/custom-tasks.ts';

/** The registered custom task that the value at a path refers to; undefined if there is none. */
export function customTaskAt(path: Path, task: unknown, own: UserFunctions): CustomTaskName | undefined {
  const inGym = path.length === 2 && path[0] === 'gym';
  if (path.at(-1) !== 'task_name' || !(inGym || path.length === 1)) return undefined;
  const row = isObject(task) ? task : {};
  const { gym } = row;
  const { task_name: name, benchmark } = inGym && isObject(gym) ? gym : row;
  if (typeof name !== 'string' || !isCustomTask({ type: 'browsergym', ...defined({ benchmark }) })) return undefined;
  return own.customTasks?.tasks.get(name);
}
