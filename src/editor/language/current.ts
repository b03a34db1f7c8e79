import { basename } from 'node:path';
import type * as vscode from 'vscode';
import type { KnownFile, TaskFiles } from '../tasks/task-files.ts';

/** A document as it is at this moment; undefined where it holds no tasks. */
export async function current(files: TaskFiles, document: vscode.TextDocument): Promise<KnownFile | undefined> {
  const known = files.get(document.uri);
  if (known?.version === document.version) return known;
  // A bare tasks.json that is not known to be ours is VS Code's.
  return known === undefined && basename(document.uri.path).startsWith('tasks.') ? undefined : files.read(document.uri);
}
