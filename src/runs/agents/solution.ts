import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Task, taskName } from '../../tasks/task.ts';

/** The path of the task's solution, `<id>.actions` beside its file; null where there is none. */
export function solutionOf(task: Task): string | null {
  const name = `${taskName(task)}.actions`;
  // An id may hold anything, a path too: a solution stands beside the task file and nowhere else.
  if (/[/\\\0]/.test(name)) return null;
  const path = join(dirname(task.file), name);
  return existsSync(path) ? path : null;
}
