import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { taskName } from '../../tasks/name.ts';
import type { Task } from '../../tasks/task.ts';

/** Where the task's solution stands, `<id>.actions` beside its file; null where the id cannot be the name of a file. */
export function solutionPath(task: Pick<Task, 'file' | 'id' | 'index'>): string | null {
  const name = `${taskName(task)}.actions`;
  // An id may hold anything, a path too: a solution stands beside the task file and nowhere else.
  return /[/\\\0]/.test(name) || name === '...actions' ? null : join(dirname(task.file), name);
}

/** The path of the task's solution; null where there is none. */
export function solutionOf(task: Task): string | null {
  const path = solutionPath(task);
  return path !== null && existsSync(path) ? path : null;
}
