import { dirname } from 'node:path';
import * as vscode from 'vscode';

/**
 * Running executes what the folder holds, so it needs the person's trust; everything else works without. Where there is none
 * they are told, and whoever asks goes on at once: a notification may stand unanswered for hours.
 */
export function trusted(): boolean {
  if (!vscode.workspace.isTrusted) void askForTrust();
  return vscode.workspace.isTrusted;
}

async function askForTrust(): Promise<void> {
  const manage = 'Manage Workspace Trust';
  const choice = await vscode.window.showWarningMessage(
    'Running a task executes code from this folder, and this workspace is not trusted. Reading, checking and looking at recorded runs works all the same.',
    manage,
  );
  if (choice === manage) await vscode.commands.executeCommand('workbench.trust.manage');
}

/** What is on disk is what runs: saves the task file and what belongs to its folder. */
export async function saveAround(uri: vscode.Uri): Promise<void> {
  const folder = dirname(uri.fsPath);
  const ours = vscode.workspace.textDocuments.filter(
    (document) => document.isDirty && document.uri.scheme === 'file' && dirname(document.uri.fsPath) === folder,
  );
  for (const document of ours) {
    if (document.uri.toString() === uri.toString() || /\.(?:actions|html|css|[cm]?[jt]s)$/.test(document.uri.path)) {
      await document.save();
    }
  }
}
