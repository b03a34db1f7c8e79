import * as vscode from 'vscode';
import { RUN_PANEL } from './names.ts';

/**
 * The column in which to show a document: the one that already shows it, otherwise one whose active tab is no run panel.
 * Without a document: the column for a new one.
 */
export function columnFor(uri?: vscode.Uri): vscode.ViewColumn {
  const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri?.toString());
  if (editor?.viewColumn !== undefined) return editor.viewColumn;
  const { activeTabGroup, all } = vscode.window.tabGroups;
  const freeGroup = [activeTabGroup, ...all].find((group) => !showsRun(group));
  // Only if every group shows a run does the document cover one.
  return freeGroup?.viewColumn ?? vscode.ViewColumn.One;
}

/** Opens a file in the column for it. */
export function showFile(uri: vscode.Uri, options?: vscode.TextDocumentShowOptions): Thenable<vscode.TextEditor> {
  return vscode.window.showTextDocument(uri, { viewColumn: columnFor(uri), ...options });
}

function showsRun(group: vscode.TabGroup): boolean {
  const input = group.activeTab?.input;
  // VS Code adds a prefix to the view type.
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith(RUN_PANEL);
}
