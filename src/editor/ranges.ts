import * as vscode from 'vscode';
import type { Range } from '../base/range.ts';
import type { TextEdit } from '../tasks/change.ts';

/** Converts a range of a lower layer. */
export function editorRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** Converts the edits of a file. */
export function workspaceEdit(uri: vscode.Uri, edits: readonly TextEdit[]): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  edit.set(
    uri,
    edits.map(({ range, text }) => vscode.TextEdit.replace(editorRange(range), text)),
  );
  return edit;
}
