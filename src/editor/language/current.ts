import type * as vscode from 'vscode';
import type { KnownFile, TaskFiles } from '../tasks/task-files.ts';

/** A document as it is now, read first where it was just opened; undefined where it holds no tasks. */
export async function current(files: TaskFiles, document: vscode.TextDocument): Promise<KnownFile | undefined> {
  const now = files.current(document);
  if (now !== undefined) return now;
  await files.settled(document.uri);
  // What is not ours by its content is not to be read outright.
  return files.get(document.uri) === undefined ? undefined : files.read(document.uri);
}
