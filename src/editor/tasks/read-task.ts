import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { findRow, type TaskReference, taskKey } from '../../presentation/tasks/reference.ts';
import { addressOf } from '../../tasks/address.ts';
import type { Task } from '../../tasks/task.ts';
import type { TaskFiles } from './task-files.ts';

/** The task of a reference in the current content of its file; undefined if it is gone or cannot be read. */
export async function readTask(files: Pick<TaskFiles, 'read'>, reference: TaskReference): Promise<Task | undefined> {
  const knownFile = await files.read(vscode.Uri.file(reference.file));
  return (knownFile && findRow(knownFile.file.rows, reference)?.task) ?? undefined;
}

/** The address of a task. That of an environment's own task, which is no row, is its name. */
export async function addressOfTask(files: Pick<TaskFiles, 'read'>, reference: TaskReference): Promise<string> {
  const knownFile = await files.read(vscode.Uri.file(reference.file));
  const row = knownFile && findRow(knownFile.file.rows, reference);
  return knownFile === undefined || row === undefined ? taskKey(reference) : addressOf(knownFile.file, row);
}

/** Says that a task cannot be read. */
export function unreadableTask(name: string): string {
  return l10n.t('The task “{0}” cannot be read. Fix the errors in its file first.', name);
}
