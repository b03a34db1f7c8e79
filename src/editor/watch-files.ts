import * as vscode from 'vscode';

/** Calls `listener` for each file of the workspace that is created, changed, or deleted. */
export function watchFiles(pattern: string, listener: (uri: vscode.Uri) => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  const { onDidCreate, onDidChange, onDidDelete } = watcher;
  return vscode.Disposable.from(watcher, ...[onDidCreate, onDidChange, onDidDelete].map((event) => event(listener)));
}
