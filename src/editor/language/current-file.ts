import type * as vscode from 'vscode';
import type { KnownFile, TaskFiles } from '../tasks/task-files.ts';

/** The current version of a task document, read first if it was just opened; undefined if it contains no tasks. */
export async function current(files: TaskFiles, document: vscode.TextDocument): Promise<KnownFile | undefined> {
  const latest = files.current(document);
  if (latest !== undefined) return latest;
  await files.waitForRead(document.uri);
  // A file without tasks must not be read as a task file.
  return files.get(document.uri) === undefined ? undefined : files.read(document.uri);
}
