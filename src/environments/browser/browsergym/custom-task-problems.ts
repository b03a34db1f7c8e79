import { basename } from 'node:path';
import { didYouMean, nearestWord } from '../../../base/nearest.ts';
import type { Path } from '../../../base/path.ts';
import type { CustomTaskName } from '../../../functions/user/custom-task-name.ts';
import type { Problem } from '../../../tasks/problem.ts';
import type { EnvironmentSpec } from '../../../tasks/task.ts';
import type { UserFunctions } from '../../user-functions.ts';
import { customTaskName } from './browsergym.ts';

/**
 * Problems with the name of a custom task, and with its class.
 * @param at path of the benchmark and the task name
 */
export function customTaskProblems(env: EnvironmentSpec, prompt: string, at: Path, own: UserFunctions): Problem[] {
  const name = customTaskName(env);
  const path = env['task_name'] === undefined ? at : [...at, 'task_name'];
  const error = { path, severity: 'error', code: 'custom-task' } as const;
  if (typeof name !== 'string' || name === '') {
    const message = '"task_name" names a custom task: what registerCustomTask or register_custom_task was given';
    return [{ ...error, message: name === undefined ? message : `${message}, not ${JSON.stringify(name)}` }];
  }
  const customTasks = own.customTasks;
  if (customTasks === undefined) return [];
  const task = customTasks.tasks.get(name);
  if (task === undefined) {
    if (customTasks.refusal !== null) return [{ ...error, message: customTasks.refusal }];
    if (!customTasks.complete) return [];
    const near = nearestWord(name, customTasks.tasks.keys());
    const message = `No custom task “${name}” is registered next to the tasks${didYouMean(near) || `. Write registerCustomTask(${JSON.stringify(name)}, …) in a *.functions.ts file there, or register_custom_task(${JSON.stringify(name)}, …) in a Python file`}`;
    const fixes = [{ title: `Change to “${near}”`, changes: [{ set: path, value: near }] }];
    return [{ ...error, message, ...(near === null ? {} : { fixes }) }];
  }
  const double = customTasks.doubles?.find((other) => other.name === name);
  if (double !== undefined) {
    const message = `“${name}” is registered twice: in ${placeOf(task)} and in ${placeOf(double)}. Rename one of them`;
    return [{ ...error, message }];
  }
  const who = `${task.class === null ? 'The class' : `“${task.class}”`} in ${placeOf(task)}`;
  if (task.wrong !== null) return [{ ...error, message: `${who} ${task.wrong}` }];
  if (prompt === '' && task.hasGoal === false) {
    const message = `${who} has no ${task.python ? '_get_goal_description()' : 'goal()'}, and this task no prompt: say in one of them what the agent should do`;
    return [{ ...error, message }];
  }
  return [];
}

function placeOf({ file, range }: CustomTaskName): string {
  return `${basename(file)}:${range.start.line + 1}`;
}
