import { basename } from 'node:path';
import type * as vscode from 'vscode';
import type { KnownFile } from '../tasks/known-file.ts';
import type { TaskFiles } from '../tasks/task-files.ts';

/** A document as it is now, read first where it was just opened; undefined where it holds no tasks. */
export async function current(files: TaskFiles, document: vscode.TextDocument): Promise<KnownFile | undefined> {
  const known = files.current(document);
  if (known !== undefined) return known;
  // A bare tasks.json that is not known to be ours is VS Code's.
  const ours = files.get(document.uri) !== undefined || !basename(document.uri.path).startsWith('tasks.');
  return ours ? files.read(document.uri) : undefined;
}
