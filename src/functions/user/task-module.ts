import { lstat, realpath } from 'node:fs/promises';
import { basename, extname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { isNotFound } from '../../base/file-kind.ts';
import { describeSystemError } from '../../base/system-error.ts';

/**
 * The environment variable for the module that registers custom tasks, from OpenEnv's proposal "Generic Task Support".
 */
export const TASK_MODULE = 'OPENENV_TASK_MODULE';

const EXTENSIONS = ['.ts', '.mjs', '.js'];

/** The path of the module of custom tasks that `OPENENV_TASK_MODULE` names, or why it cannot be loaded. */
export type TaskModule = { readonly file: string } | { readonly refusal: string };

/** The path of the module; none if it is not set or cannot be loaded. */
export function modulePaths(module: TaskModule | null): readonly string[] {
  return module !== null && 'file' in module ? [module.file] : [];
}

/**
 * The module that `OPENENV_TASK_MODULE` names: a file in a task folder or its subfolders, with or without its
 * extension, or a Python module such as `custom_tasks.my_task`. Null if the variable is not set. Nothing is executed.
 */
export async function taskModule(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<TaskModule | null> {
  const name = env[TASK_MODULE] ?? '';
  if (name === '') return null;
  const refuse = (why: string): TaskModule => ({ refusal: `${TASK_MODULE} names “${name}”, but ${why}` });
  const path = normalize(name);
  if (isAbsolute(path) || path.startsWith('..') || path.includes('\0')) {
    return refuse('the module must be a file in the task folder, with a relative path');
  }
  for (const candidate of candidates(path, folder)) {
    const file = join(folder, candidate);
    try {
      await lstat(file);
    } catch (error) {
      if (isNotFound(error)) continue;
      return refuse(`it cannot be accessed: ${describeSystemError(error)}`);
    }
    let real: string;
    try {
      real = await realpath(file);
    } catch (error) {
      return refuse(`it is a symbolic link that cannot be resolved: ${describeSystemError(error)}`);
    }
    const inside = relative(await realpath(folder), real);
    if (inside === '' || isAbsolute(inside) || inside.startsWith(`..${sep}`)) {
      return refuse('it is a symbolic link to a file outside of the task folder');
    }
    return { file };
  }
  return refuse(`no such module exists in ${folder}: use a relative path such as tasks.ts`);
}

/** The files that a name can mean: a path, or the name of a Python module as in the proposal, `custom_tasks.my_task`. */
function candidates(path: string, folder: string): string[] {
  if ([...EXTENSIONS, '.py'].includes(extname(path))) return [path];
  const paths = [...EXTENSIONS, '.py'].map((end) => path + end);
  const parts = path.split('.');
  if (!/^\w+(?:\.\w+)+$/u.test(path)) return paths;
  // The package is the folder itself, under its own name or under that of the mount, or it is in the folder.
  const inPackage = parts[0] === basename(folder) || parts[0] === 'custom_tasks' ? parts.slice(1) : [];
  return [...paths, ...[inPackage, parts].filter((one) => one.length > 0).map((one) => `${join(...one)}.py`)];
}
