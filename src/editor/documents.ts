import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { CodedError } from '../base/coded-error.ts';

/** A file that VS Code did not change or save, for example because it is read-only or was changed by another program. */
export class UnsavedError extends CodedError<'not_saved' | 'not_written'> {
  override readonly name = 'UnsavedError';
}

/** How long an automatic save that is in progress may take, in ms. */
const SAVE_LIMIT = 3_000;

/** Saves a document. Rejects with `UnsavedError`, because VS Code reports a failure only by its result. */
export async function saveDocument(document: vscode.TextDocument): Promise<void> {
  const { promise: save, resolve } = Promise.withResolvers<void>();
  const subscription = vscode.workspace.onDidSaveTextDocument((other) => {
    if (other === document) resolve();
  });
  try {
    if ((await document.save()) || !document.isDirty) return;
    // VS Code refuses to save a file that it is about to save by itself.
    await Promise.race([save, delay(SAVE_LIMIT, undefined, { ref: false })]);
    if (!document.isDirty || (await document.save())) return;
  } finally {
    subscription.dispose();
  }
  const name = basename(document.uri.path);
  throw new UnsavedError('not_saved', l10n.t('{0} could not be saved. Save it first.', name));
}

/** Changes or creates a file. Rejects with `UnsavedError`, as `saveDocument` does. */
export async function applyEdit(edit: vscode.WorkspaceEdit, uri: vscode.Uri): Promise<void> {
  if (await vscode.workspace.applyEdit(edit)) return;
  throw new UnsavedError('not_written', l10n.t('Could not write {0}.', basename(uri.path)));
}
