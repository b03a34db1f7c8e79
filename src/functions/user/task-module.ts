import { lstat, realpath } from 'node:fs/promises';
import { extname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { isNotFound } from '../../tasks/file-kind.ts';
import { describeSystemError } from '../../tasks/system-error.ts';

/** The variable by which OpenEnv's proposal "Generic Task Support" names the module that registers the custom tasks. */
export const TASK_MODULE = 'OPENENV_TASK_MODULE';

const EXTENSIONS = ['.ts', '.mjs', '.js'];

/** The module of custom tasks that `OPENENV_TASK_MODULE` names, or why it names none that can be loaded. */
export type TaskModule =
  | { readonly file: string }
  /** One of the proposal's own, in Python. */
  | { readonly python: string }
  | { readonly refused: string };

/** Where the module is, in either language; null where there is none. */
export function modulePath(module: TaskModule | null): string | null {
  if (module === null || 'refused' in module) return null;
  return 'file' in module ? module.file : module.python;
}

/**
 * What `OPENENV_TASK_MODULE` names in a folder of tasks: a file in it, or below it, with or without its extension. Null
 * where the variable is not set. Nothing is executed.
 */
export async function taskModule(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<TaskModule | null> {
  const named = env[TASK_MODULE] ?? '';
  if (named === '') return null;
  const refuse = (why: string): TaskModule => ({ refused: `${TASK_MODULE} names “${named}”, and ${why}` });
  const path = normalize(named);
  if (isAbsolute(path) || path.startsWith('..') || path.includes('\0')) {
    return refuse('the module must be a file in the folder of the tasks, named relative to it');
  }
  const extension = extname(path);
  const exact = [...EXTENSIONS, '.py'].includes(extension);
  for (const candidate of exact ? [path] : [...EXTENSIONS, '.py'].map((end) => path + end)) {
    const file = join(folder, candidate);
    try {
      await lstat(file);
    } catch (error) {
      if (isNotFound(error)) continue;
      return refuse(`it cannot be looked at: ${describeSystemError(error)}`);
    }
    let real: string;
    try {
      real = await realpath(file);
    } catch (error) {
      return refuse(`it is a link that cannot be followed: ${describeSystemError(error)}`);
    }
    const inside = relative(await realpath(folder), real);
    if (inside === '' || isAbsolute(inside) || inside.startsWith(`..${sep}`)) {
      return refuse('it is a link out of the folder of the tasks');
    }
    if (candidate.endsWith('.py')) return { python: file };
    return { file };
  }
  return refuse(`there is no such module in ${folder}: name a file such as tasks.ts, relative to it`);
}
