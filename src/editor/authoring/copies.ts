import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { TextEdit } from '../../tasks/change.ts';
import type { Json } from '../../tasks/task.ts';
import { workspaceEdit } from '../ranges.ts';
import type { KnownFile } from '../tasks/known-file.ts';
import { findRow, type TaskReference } from '../tasks/reference.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { takenIds } from './destination.ts';
import { showTask } from './show.ts';

type Row = KnownFile['file']['rows'][number];

/** Writes a task once more right below itself, under an id that is free; a file of a single task gets a file beside it. */
export async function duplicateTask(files: TaskFiles, reference: TaskReference): Promise<void> {
  const { document, row, file } = await open(files, reference);
  const { value } = row;
  if (typeof value !== 'object' || value === null || row.task === null) {
    refuse(`The task “${row.name}” cannot be read, so it cannot be duplicated. Mend it first.`);
    return;
  }
  const { containsUnknown } = await import('../../tasks/unknown.ts');
  if (containsUnknown(value)) {
    refuse(`Parts of the task “${row.name}” are known only to the program that makes it. Copy its text instead.`);
    return;
  }
  const { freeId } = await import('../../language/free-id.ts');
  const folder = dirname(reference.file);
  const id = row.id === null ? null : freeId(row.id, takenIds(files, folder));
  const copy = (id === null ? value : { ...value, id }) as Json;
  const edits = file.insertRow(row.index + 1, copy);
  if (edits !== null) {
    await vscode.workspace.applyEdit(workspaceEdit(document.uri, edits));
    await showTask(files, document.uri, row.index + 1, ['id']);
    return;
  }
  const path = id === null || file.rows.length > 1 ? null : pathBeside(reference.file, row.id ?? '', id);
  if (path === null || (await exists(path))) {
    refuse(`${basename(reference.file)} cannot take another task: its text is broken, or holds a single task.`);
    return;
  }
  const changes = row.edit([{ set: ['id'], value: id }]);
  if (changes === null) return;
  const uri = vscode.Uri.file(path);
  const created = new vscode.WorkspaceEdit();
  created.createFile(uri, { contents: new TextEncoder().encode(await changedText(document.getText(), changes)) });
  await vscode.workspace.applyEdit(created);
  await showTask(files, uri, 0, ['id']);
}

/** Takes a task out of its file, or the file away where it holds nothing else; asks what becomes of its solution. */
export async function deleteTask(files: TaskFiles, reference: TaskReference): Promise<void> {
  const { document, row, file } = await open(files, reference);
  const alone = file.rows.length === 1 && file.removeRow(row.index) === null;
  const edits = file.removeRow(row.index);
  if (edits === null && !alone) {
    refuse(`The text of ${basename(reference.file)} does not allow “${row.name}” to be taken out. Mend it first.`);
    return;
  }
  const solution = await solutionOf(reference.file, row);
  const withSolution = 'Delete Task and Solution';
  const only = solution === null ? 'Delete Task' : 'Delete Task Only';
  const where = alone
    ? `${basename(reference.file)} holds nothing else and goes to the trash.`
    : 'Undo brings it back.';
  const choice = await vscode.window.showWarningMessage(
    `Delete the task “${row.name}”?`,
    {
      modal: true,
      detail: solution === null ? where : `${where} Its solution ${basename(solution)} stands beside it.`,
    },
    ...(solution === null ? [only] : [withSolution, only]),
  );
  if (choice === undefined) return;
  if (alone) await toTrash(document.uri);
  else {
    // The person may have typed while the question stood there.
    const now = await open(files, reference);
    const still = now.file.removeRow(now.row.index);
    if (still === null) return;
    const clean = !document.isDirty;
    await vscode.workspace.applyEdit(workspaceEdit(document.uri, still));
    if (clean) await document.save();
  }
  if (choice === withSolution && solution !== null) await toTrash(vscode.Uri.file(solution));
}

/** A task that a command was asked for and that is gone meanwhile. */
class TaskGoneError extends Error {
  readonly code = 'task_gone';
}

async function open(
  files: TaskFiles,
  reference: TaskReference,
): Promise<{ document: vscode.TextDocument; row: Row; file: KnownFile['file'] }> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(reference.file));
  const known = await files.read(document.uri);
  const row = known === undefined ? undefined : findRow(known.file.rows, reference);
  if (known === undefined || row === undefined) {
    throw new TaskGoneError(`There is no task “${reference.name}” in ${basename(reference.file)} any more.`);
  }
  return { document, row, file: known.file };
}

async function changedText(text: string, edits: readonly TextEdit[]): Promise<string> {
  const [{ Draft }, { Lines }] = await Promise.all([import('../../tasks/draft.ts'), import('../../tasks/lines.ts')]);
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

/** `order.task.json` → `order-2.task.json`; the new id alone where the file is named otherwise. */
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
  return (await exists(path)) ? path : null;
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    // What cannot be looked at is written over by nobody: a file is created only where there is none.
    return false;
  }
}

async function toTrash(uri: vscode.Uri): Promise<void> {
  try {
    await vscode.workspace.fs.delete(uri, { useTrash: true });
  } catch {
    // Some machines have no trash; the person has confirmed.
    await vscode.workspace.fs.delete(uri, { useTrash: false });
  }
}

function refuse(message: string): void {
  void vscode.window.showWarningMessage(message);
}
