import * as vscode from 'vscode';
import type { TextEdit } from '../tasks/change.ts';
import type { Range } from '../tasks/range.ts';

/** A range of the floors below as the editor has it. */
export function editorRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** The edits of a file as the editor takes them. */
export function workspaceEdit(uri: vscode.Uri, edits: readonly TextEdit[]): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  edit.set(
    uri,
    edits.map(({ range, text }) => vscode.TextEdit.replace(editorRange(range), text)),
  );
  return edit;
}
