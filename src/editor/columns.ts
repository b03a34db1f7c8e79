import * as vscode from 'vscode';
import { RUN_PANEL } from './names.ts';

/**
 * Where a document is to be shown: where it is shown already, else beside a run panel and never on top of one.
 * Without a document: where a new one would go.
 */
export function columnFor(uri?: vscode.Uri): vscode.ViewColumn {
  const shown = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri?.toString());
  if (shown?.viewColumn !== undefined) return shown.viewColumn;
  const { activeTabGroup, all } = vscode.window.tabGroups;
  const free = [activeTabGroup, ...all].find((group) => !showsRun(group));
  // All groups show runs: the first column moves them aside only when there is no other way.
  return free?.viewColumn ?? vscode.ViewColumn.One;
}

function showsRun(group: vscode.TabGroup): boolean {
  const input = group.activeTab?.input;
  // The window puts a prefix of its own before the type.
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith(RUN_PANEL);
}
