import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { taskName } from '../../tasks/name.ts';
import type { Task } from '../../tasks/task.ts';

/** Path of the task's solution, `<id>.actions` next to the task file; null if the id is not a valid file name. */
export function solutionPath(task: Pick<Task, 'file' | 'id' | 'index'>): string | null {
  const name = `${taskName(task)}.actions`;
  // An id may contain a path, but a solution is always in the folder of the task file.
  return /[/\\\0]/.test(name) || name === '...actions' ? null : join(dirname(task.file), name);
}

/** Path of the task's solution; null if it does not exist. */
export function solutionOf(task: Task): string | null {
  const path = solutionPath(task);
  return path !== null && existsSync(path) ? path : null;
}
