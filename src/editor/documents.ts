import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { CodedError } from '../tasks/coded-error.ts';

/** A file that VS Code did not change or save, for example because it is read-only or was changed by another program. */
export class UnsavedError extends CodedError<'not_saved' | 'not_written'> {
  override readonly name = 'UnsavedError';
}

/** Saves a document. Rejects with `UnsavedError`, because VS Code reports a failure only by its result. */
export async function saveDocument(document: vscode.TextDocument): Promise<void> {
  if (await document.save()) return;
  const name = basename(document.uri.path);
  throw new UnsavedError('not_saved', l10n.t('{0} could not be saved. Save it first.', name));
}

/** Changes or creates a file. Rejects with `UnsavedError`, as `saveDocument` does. */
export async function applyEdit(edit: vscode.WorkspaceEdit, uri: vscode.Uri): Promise<void> {
  if (await vscode.workspace.applyEdit(edit)) return;
  throw new UnsavedError('not_written', l10n.t('Could not write {0}.', basename(uri.path)));
}
