import * as vscode from 'vscode';
import type { TaskReference } from '../../presentation/tasks/reference.ts';
import type { TaskFiles } from './task-files.ts';

/** The task at the cursor of the active editor. */
export function taskAtCursor(files: TaskFiles): TaskReference | undefined {
  const editor = vscode.window.activeTextEditor;
  const knownFile = editor === undefined ? undefined : files.get(editor.document.uri);
  const line = editor?.selection.active.line ?? 0;
  const row = knownFile?.file.rows.find(({ range }) => range.start.line <= line && line <= range.end.line);
  return knownFile === undefined || row === undefined
    ? undefined
    : { file: knownFile.uri.fsPath, index: row.index, name: row.name };
}
