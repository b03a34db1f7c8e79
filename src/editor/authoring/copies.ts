import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { kindAt } from '../../base/file-kind.ts';
import { isObject, type Json } from '../../base/json.ts';
import type { OwnTask } from '../../language/actions/own-task.ts';
import { findRow, type TaskReference } from '../../presentation/tasks/reference.ts';
import type { TextEdit } from '../../tasks/change.ts';
import { applyEdit, saveDocument } from '../documents.ts';
import { showWarning } from '../notifications.ts';
import { workspaceEdit } from '../ranges.ts';
import type { KnownFile } from '../tasks/known-file.ts';
import { unreadableTask } from '../tasks/read-task.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { moveToTrash } from '../trash.ts';
import { cannotAddTask, usedIdsIn } from './destination.ts';
import { showTask } from './show-task.ts';

type Row = KnownFile['file']['rows'][number];

/** Copies a task below itself with a new id. A single-task file is copied to a new file next to it. */
export async function duplicateTask(files: TaskFiles, reference: TaskReference): Promise<void> {
  const { document, row, file } = await open(files, reference);
  const { value } = row;
  if (typeof value !== 'object' || value === null || row.task === null) {
    return refuse(unreadableTask(row.name));
  }
  const { containsUnknown } = await import('../../tasks/unknown.ts');
  if (containsUnknown(value)) {
    return refuse(
      l10n.t('Parts of the task “{0}” are computed by the program. Copy its source text instead.', row.name),
    );
  }
  const { freeId } = await import('../../language/free-id.ts');
  const folder = dirname(reference.file);
  const id = row.id === null ? null : freeId(row.id, usedIdsIn(files, folder));
  const copy = (id === null ? value : { ...value, id }) as Json;
  const edits = file.insertRow(row.index + 1, copy);
  if (edits !== null) {
    return addBelow(files, document.uri, row, edits);
  }
  const path = id === null || file.rows.length > 1 ? null : pathBeside(reference.file, row.id ?? '', id);
  if (path === null || (await kindAt(path)) === 'file') {
    return refuse(cannotAddTask(reference.file));
  }
  const changes = row.edit([{ set: ['id'], value: id }]);
  if (changes === null) return;
  const uri = vscode.Uri.file(path);
  const creation = new vscode.WorkspaceEdit();
  creation.createFile(uri, { contents: new TextEncoder().encode(await changedText(document.getText(), changes)) });
  await applyEdit(creation, uri);
  await showTask(files, uri, 0, ['id']);
}

/** A node of one of an environment's own tasks, from the tree. */
export interface OwnTaskNode {
  readonly owner: TaskReference;
  readonly own: OwnTask;
}

/** Adds one of an environment's own tasks below the task that has the environment. */
export async function copyOwnTask(files: TaskFiles, { owner, own }: OwnTaskNode): Promise<void> {
  const { document, row, file } = await open(files, owner);
  const { value } = row;
  const [{ freeId }, { ownTaskId, ownTaskRow }, { containsUnknown }] = await Promise.all([
    import('../../language/free-id.ts'),
    import('../../language/actions/own-task.ts'),
    import('../../tasks/unknown.ts'),
  ]);
  const isPlain = isObject(value) && !containsUnknown(value);
  const id = freeId(ownTaskId(own), usedIdsIn(files, dirname(owner.file)));
  const newRow = isPlain ? ownTaskRow(value, own, id) : null;
  const edits = newRow === null ? null : file.insertRow(row.index + 1, newRow);
  if (edits === null) {
    return refuse(cannotAddTask(owner.file));
  }
  await addBelow(files, document.uri, row, edits);
}

/** Inserts a row below another, and selects its id. */
async function addBelow(files: TaskFiles, uri: vscode.Uri, row: Row, edits: readonly TextEdit[]): Promise<void> {
  await applyEdit(workspaceEdit(uri, edits), uri);
  await showTask(files, uri, row.index + 1, ['id']);
}

/** Deletes a task from its file, or the file if it contains nothing else. Asks whether to delete its solution. */
export async function deleteTask(files: TaskFiles, reference: TaskReference): Promise<void> {
  const { document, row, file } = await open(files, reference);
  const edits = file.removeRow(row.index);
  const isOnlyTask = edits === null && file.rows.length === 1;
  if (edits === null && !isOnlyTask) {
    return refuse(
      l10n.t('Cannot delete “{0}” from {1}. Fix the syntax errors first.', row.name, basename(reference.file)),
    );
  }
  const solution = await solutionOf(reference.file, row);
  const withSolution = l10n.t('Delete Task and Solution');
  const deleteTaskOnly = solution === null ? l10n.t('Delete Task') : l10n.t('Delete Task Only');
  const question = isOnlyTask
    ? l10n.t('{0} contains no other task and is moved to the trash.', basename(reference.file))
    : l10n.t('You can undo this.');
  const choice = await showWarning(
    l10n.t('Delete the task “{0}”?', row.name),
    {
      modal: true,
      detail:
        solution === null ? question : `${question} ${l10n.t('The task has a solution, {0}.', basename(solution))}`,
    },
    ...(solution === null ? [deleteTaskOnly] : [withSolution, deleteTaskOnly]),
  );
  if (choice === undefined) return;
  if (isOnlyTask) {
    if (!(await moveToTrash(document.uri))) return;
  } else {
    // The user may have edited the file while the dialog was open.
    const current = await open(files, reference);
    const removal = current.file.removeRow(current.row.index);
    if (removal === null) return;
    const clean = !document.isDirty;
    await applyEdit(workspaceEdit(document.uri, removal), document.uri);
    if (clean) await saveDocument(document);
  }
  if (choice === withSolution && solution !== null) await moveToTrash(vscode.Uri.file(solution));
}

/** The task of a command no longer exists. */
class TaskGoneError extends Error {
  readonly code = 'task_gone';
}

async function open(
  files: TaskFiles,
  reference: TaskReference,
): Promise<{ document: vscode.TextDocument; row: Row; file: KnownFile['file'] }> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(reference.file));
  const target = await files.read(document.uri);
  const row = target === undefined ? undefined : findRow(target.file.rows, reference);
  if (target === undefined || row === undefined) {
    throw new TaskGoneError(l10n.t('The task “{0}” is no longer in {1}.', reference.name, basename(reference.file)));
  }
  return { document, row, file: target.file };
}

async function changedText(text: string, edits: readonly TextEdit[]): Promise<string> {
  const [{ Draft }, { Lines }] = await Promise.all([import('../../tasks/draft.ts'), import('../../base/lines.ts')]);
  const lines = new Lines(text);
  const draft = new Draft(text);
  draft.replaceAll(
    edits.map(({ range, text: put }) => ({
      start: lines.offset(range.start),
      end: lines.offset(range.end),
      text: put,
    })),
  );
  return draft.text;
}

/** `order.task.json` → `order-2.task.json`; the new id alone if the file is not named after the task. */
function pathBeside(file: string, id: string, copyId: string): string {
  const name = basename(file);
  const ending = name.slice(name.search(/\.(?:task|tasks|taskset)\./));
  return join(
    dirname(file),
    name === `${id}${ending}` ? `${copyId}${ending}` : `${copyId}.task${ending.slice(ending.lastIndexOf('.'))}`,
  );
}

async function solutionOf(file: string, row: Row): Promise<string | null> {
  if (row.id === null || /[/\\]/.test(row.id)) return null;
  const path = join(dirname(file), `${row.id}.actions`);
  return (await kindAt(path)) === 'file' ? path : null;
}

function refuse(message: string): void {
  void showWarning(message);
}
