import { taskKey, taskKeyOfRun } from '../../presentation/tasks/reference.ts';
import type { RunEntry } from '../../traces/store.ts';

/** The recorded runs of tasks, newest first, without runs in progress. */
export function recordedRuns(
  { entries }: { readonly entries: readonly RunEntry[] },
  tasks: readonly { readonly file: string; readonly name: string }[],
): readonly RunEntry[] {
  const keys = new Set(tasks.map(taskKey));
  return entries.filter(({ run, running }) => !running && keys.has(taskKeyOfRun(run)));
}
