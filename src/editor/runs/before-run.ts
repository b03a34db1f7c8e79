import { dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { saveDocument } from '../documents.ts';
import { offerCommand, showWarning } from '../notifications.ts';

/** Why nothing runs in a workspace that is not trusted. */
export const UNTRUSTED = l10n.t('Running a task runs code from this folder. Trust the workspace first.');

/**
 * Whether the workspace is trusted, which running requires. Otherwise shows a notification, without waiting for it: it
 * may stay open for hours.
 */
export function checkTrust(): boolean {
  if (!vscode.workspace.isTrusted) {
    offerCommand(showWarning, UNTRUSTED, l10n.t('Manage Workspace Trust'), 'workbench.trust.manage');
  }
  return vscode.workspace.isTrusted;
}

/**
 * Saves the files of a workspace folder, or those that are needed: the command line reads them from disk. Rejects with
 * `UnsavedError`.
 */
export async function saveDocuments(
  folder: vscode.WorkspaceFolder,
  isNeeded: (document: vscode.TextDocument) => boolean = () => true,
): Promise<void> {
  const isInFolder = ({ uri }: vscode.TextDocument): boolean => vscode.workspace.getWorkspaceFolder(uri) === folder;
  for (const document of vscode.workspace.textDocuments) {
    if (document.isDirty && isInFolder(document) && isNeeded(document)) await saveDocument(document);
  }
}

/** Saves a task file and the files in its folder that a run reads. Rejects with `UnsavedError`. */
export async function saveAround(uri: vscode.Uri): Promise<void> {
  const folder = dirname(uri.fsPath);
  const taskDocuments = vscode.workspace.textDocuments.filter(
    (document) => document.isDirty && document.uri.scheme === 'file' && dirname(document.uri.fsPath) === folder,
  );
  for (const document of taskDocuments) {
    if (document.uri.toString() === uri.toString() || /\.(?:actions|html|css|[cm]?[jt]s|py)$/.test(document.uri.path)) {
      await saveDocument(document);
    }
  }
}
