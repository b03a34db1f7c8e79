import { basename, dirname } from 'node:path';
import { kindOfType } from '../../environments/kinds.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import type { Task } from '../../tasks/task.ts';

/** The name of the solution of an environment's own task, such as `words/train/12`. */
const OF_OWN_TASK = /^.+-.+-\d+$/;

/**
 * The task that a solution belongs to; null if it is not known. That of an environment's own task belongs to the first task
 * next to it whose environment has such tasks, which has the same actions.
 * @param files the task files of the workspace
 */
export function taskOfSolution(solution: string, files: Iterable<TaskFile>): Task | null {
  const name = basename(solution, '.actions');
  const beside = [...files].filter(({ file }) => dirname(file) === dirname(solution));
  const find = (accepts: (row: TaskRow) => boolean): Task | null | undefined => {
    for (const { rows } of beside) {
      const match = rows.find((row) => accepts(row) && row.task !== null);
      if (match !== undefined) return match.task;
    }
    return undefined;
  };
  const ownTask = find((row) => row.name === name);
  if (ownTask !== undefined || !OF_OWN_TASK.test(name)) return ownTask ?? null;
  return find(({ task }) => task !== null && kindOfType(task.env)?.hasOwnTasks === true) ?? null;
}
