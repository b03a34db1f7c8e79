import * as vscode from 'vscode';

/** Where relative paths of a configuration start. */
export function folderPath(folder: vscode.WorkspaceFolder | undefined): string {
  return (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath ?? process.cwd();
}
