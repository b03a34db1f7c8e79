import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { confirm, showWarning } from './notifications.ts';

/**
 * Moves a file or folder to the trash. Where that is not possible, such as on remote machines, asks whether to delete it
 * permanently. Returns whether it is gone.
 */
export async function moveToTrash(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.delete(uri, { recursive: true, useTrash: true });
    return true;
  } catch {
    const question = l10n.t('{0} cannot be moved to the trash.', basename(uri.path));
    const detail = l10n.t('Permanent deletion cannot be undone.');
    if (!(await confirm(showWarning, question, detail, l10n.t('Delete Permanently')))) return false;
    await vscode.workspace.fs.delete(uri, { recursive: true, useTrash: false });
    return true;
  }
}
