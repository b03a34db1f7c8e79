import * as vscode from 'vscode';

/** The folder against which relative paths of a configuration are resolved. */
export function folderPath(folder: vscode.WorkspaceFolder | undefined): string {
  return (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath ?? process.cwd();
}
