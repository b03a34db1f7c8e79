import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseOwnTaskAddress } from '../../language/actions/own-task.ts';
import { taskName } from '../../tasks/name.ts';
import type { Task } from '../../tasks/task.ts';

/**
 * Path of the task's solution, `<id>.actions` next to the task file; null if the id is not a valid file name. That of
 * `words/train/12`, an environment's own task, is `words-train-12.actions`.
 */
export function solutionPath(task: Pick<Task, 'file' | 'id' | 'index'>): string | null {
  const name = solutionName(taskName(task));
  // An id may contain a path, but a solution is always in the folder of the task file.
  return /[/\\\0]/.test(name) || name === '...actions' ? null : join(dirname(task.file), name);
}

/** The file name of the solution of a task with this name, which may be the address of an environment's own task. */
export function solutionName(name: string): string {
  return `${parseOwnTaskAddress(name) === null ? name : name.replaceAll('/', '-')}.actions`;
}

/** Finds the solutions of tasks in one file. Its folder is listed once. */
export function solutionsBeside<T extends Pick<Task, 'id' | 'index'>>(
  file: string,
  tasks: readonly T[],
): readonly { readonly task: T; readonly path: string }[] {
  const names = solutionNames(dirname(file));
  if (names.size === 0) return [];
  return tasks.flatMap((task) => {
    if (!names.has(comparable(solutionName(taskName(task))))) return [];
    const path = solutionOf({ file, id: task.id, index: task.index });
    return path === null ? [] : { task, path };
  });
}

function solutionNames(folder: string): ReadonlySet<string> {
  try {
    return new Set(
      readdirSync(folder)
        .map(comparable)
        .filter((name) => name.endsWith('.actions')),
    );
  } catch {
    // The folder cannot be listed, so nothing in it can be read either.
    return new Set();
  }
}

/** Some file systems ignore case and Unicode normalization. */
function comparable(name: string): string {
  return name.normalize().toLowerCase();
}

/** Path of the task's solution; null if it does not exist. */
export function solutionOf(task: Pick<Task, 'file' | 'id' | 'index'>): string | null {
  const path = solutionPath(task);
  return path !== null && existsSync(path) ? path : null;
}
