import { defined } from '../base/defined.ts';
import { isObject } from '../base/json.ts';
import { readCustom } from '../environments/custom/spec.ts';
import { environmentKind } from '../environments/kinds.ts';
import type { UserFunctions } from '../environments/user-functions.ts';
import type { ControllerFunctions } from '../functions/user/controllers.ts';
import type { UserSignature } from '../functions/user/names.ts';
import { readRow } from '../tasks/reading.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';

/** The controller of a custom environment, if its folder is below that of the task file; null if it is not known. */
export function controllerOf(env: EnvironmentSpec, own: UserFunctions): ControllerFunctions | null {
  const answer = environmentKind(env);
  if (!('kind' in answer) || answer.kind.calls !== 'environment') return null;
  const { context, image } = readCustom(env);
  // Normalizes the path: `./envs//lights/` is `envs/lights`.
  const parts = (context ?? image)?.split(/[/\\]+/).filter((part) => part !== '.' && part !== '');
  const name = context?.startsWith('/') === true ? undefined : parts?.join('/');
  return (name === undefined ? undefined : own.controllers?.get(name)) ?? null;
}

/** Whether a task's environment is a custom one, which has no built-in functions. */
export function isCustom(task: unknown): boolean {
  if (!isObject(task) || !(isObject(task['gym']) || task['gym'] === 'docker')) return false;
  const answer = environmentKind(readRow(task).fields.env);
  return 'kind' in answer && answer.kind.calls === 'environment';
}

/** Functions that a task can call: user-defined functions, or those of its environment's controller. */
export function userFunctionsOf(task: unknown, own: UserFunctions): UserFunctions {
  if (!isObject(task) || !isCustom(task)) return own;
  const functions = controllerOf(readRow(task).fields.env, own)?.functions ?? new Map<string, UserSignature>();
  const { customTasks, controllers, beside } = own;
  return Object.assign(new Map(functions), defined({ customTasks, controllers, beside }));
}
