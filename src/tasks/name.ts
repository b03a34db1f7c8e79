/** The id, or the index as a string: the name of a task outside its file. */
export function taskName(task: { readonly id: string | null; readonly index: number }): string {
  return task.id ?? String(task.index);
}
