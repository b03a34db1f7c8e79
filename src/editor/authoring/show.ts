import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { Path } from '../../base/path.ts';
import { textRange } from '../../language/text-range.ts';
import { columnFor } from '../columns.ts';
import { editorRange } from '../ranges.ts';
import type { TaskFiles } from '../tasks/task-files.ts';

/** Opens a task file and selects a text of a task for editing. */
export async function showTask(files: TaskFiles, uri: vscode.Uri, index: number, path: Path): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const known = await files.read(uri);
  const row = known?.file.rows[index];
  const found = row === undefined ? undefined : (rangeAt(row, path) ?? row.range);
  const selection = found === undefined ? undefined : editorRange(found);
  const editor = await vscode.window.showTextDocument(document, {
    viewColumn: columnFor(uri),
    ...defined({ selection }),
  });
  if (selection !== undefined) editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

type Row = Parameters<typeof textRange>[0];

function rangeAt(row: Row, path: Path): ReturnType<typeof textRange> {
  let value: unknown = row.value;
  for (const step of path) {
    value =
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string | number, unknown>>)[step]
        : undefined;
  }
  return typeof value === 'string' ? textRange(row, path, value) : row.rangeOf(path);
}
