import { refusal } from '../../language/findings/diagnose.ts';
import type { Task } from '../../tasks/task.ts';
import type { SelectedTask } from './selected-task.ts';

/** A task as `taskwright list` and the library list it. */
export type ListedTask = Pick<
  Task,
  'file' | 'index' | 'id' | 'era' | 'prompt' | 'env' | 'tags' | 'setup' | 'evaluate' | 'max_steps' | 'range'
> & {
  /** Whether Run accepts it. */
  readonly valid: boolean;
};

/** Null for a row that cannot be read as a task. */
export function listedTask({ file, row, userFunctions }: SelectedTask): ListedTask | null {
  const { task } = row;
  if (task === null) return null;
  const { id, index, era, prompt, env, tags, setup, evaluate, max_steps, range } = task;
  const valid = refusal(file, row, userFunctions) === null;
  return { file: file.file, index, id, era, prompt, env, tags, setup, evaluate, max_steps, range, valid };
}
