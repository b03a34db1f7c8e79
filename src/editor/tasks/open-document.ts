import * as vscode from 'vscode';

/** The open document of a file; undefined if it is closed. */
export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const key = uri.toString();
  return vscode.workspace.textDocuments.find((document) => !document.isClosed && document.uri.toString() === key);
}
