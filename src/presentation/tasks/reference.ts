import { taskName } from '../../tasks/name.ts';

/** Identifies a task by its file, and by its name and index in that file at some time. */
export interface TaskReference {
  /** Absolute path. */
  readonly file: string;
  readonly index: number;
  /** The id, or the index as a string. */
  readonly name: string;
}

/** The reference alone, of something that knows more of the task. */
export function bareReference({ file, index, name }: TaskReference): TaskReference {
  return { file, index, name };
}

/** A key that stays the same when the file is edited. It equals the address of the task. */
export function taskKey(task: Pick<TaskReference, 'file' | 'name'>): string {
  return `${task.file}#${task.name}`;
}

/** The key of the task of a recorded run. */
export function taskKeyOfRun(run: { readonly file: string; readonly task_id: string }): string {
  return taskKey({ file: run.file, name: run.task_id });
}

export function referenceTo(task: { file: string; index: number; id: string | null }): TaskReference {
  return { file: task.file, index: task.index, name: taskName(task) };
}

/**
 * Finds the row of a reference in the current file: the row at its index if it still has that name (tasks may share an
 * id), otherwise the first row with that name.
 */
export function findRow<Row extends { readonly index: number; readonly name: string }>(
  rows: readonly Row[],
  reference: Pick<TaskReference, 'index' | 'name'>,
): Row | undefined {
  const sameIndex = rows[reference.index];
  if (sameIndex?.name === reference.name) return sameIndex;
  return rows.find((row) => row.name === reference.name);
}
