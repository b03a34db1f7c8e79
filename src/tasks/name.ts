/** The id, or the index as a string: how a task is named everywhere outside its file. */
export function taskName(task: { readonly id: string | null; readonly index: number }): string {
  return task.id ?? String(task.index);
}
