import { taskName } from '../../tasks/name.ts';

/** Which task a command means: its file, and its name and place there at the time of asking. */
export interface TaskReference {
  /** Absolute path. */
  readonly file: string;
  readonly index: number;
  /** The id, or the index as a string. */
  readonly name: string;
}

/** One string for one task, through edits of its file: the same that an address is. */
export function taskKey(task: Pick<TaskReference, 'file' | 'name'>): string {
  return `${task.file}#${task.name}`;
}

export function referenceTo(task: { file: string; index: number; id: string | null }): TaskReference {
  return { file: task.file, index: task.index, name: taskName(task) };
}

/**
 * Finds the row that a reference means in the file as it is now. The place decides where it still bears that name
 * (several tasks may share an id), else the name, else nothing does.
 */
export function findRow<Row extends { readonly index: number; readonly name: string }>(
  rows: readonly Row[],
  reference: Pick<TaskReference, 'index' | 'name'>,
): Row | undefined {
  const there = rows[reference.index];
  if (there?.name === reference.name) return there;
  return rows.find((row) => row.name === reference.name);
}
