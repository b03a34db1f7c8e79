import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { type Path, valueAt } from '../../base/path.ts';
import { textRange } from '../../language/text-range.ts';
import { showFile } from '../columns.ts';
import { editorRange } from '../ranges.ts';
import type { TaskFiles } from '../tasks/task-files.ts';

/** Opens a task file and selects a text of a task for editing. */
export async function showTask(files: TaskFiles, uri: vscode.Uri, index: number, path: Path): Promise<void> {
  await vscode.workspace.openTextDocument(uri);
  const row = (await files.read(uri))?.file.rows[index];
  const selection = row && editorRange(rangeAt(row, path) ?? row.range);
  const editor = await showFile(uri, defined({ selection }));
  if (selection !== undefined) editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

function rangeAt(row: Parameters<typeof textRange>[0], path: Path): ReturnType<typeof textRange> {
  const value = valueAt(row.value, path);
  return typeof value === 'string' ? textRange(row, path, value) : row.rangeOf(path);
}
