import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { taskCount } from '../../presentation/tasks/model.ts';
import type { TaskFiles } from '../tasks/task-files.ts';

/** The file of a new task. */
export type Destination =
  | { readonly kind: 'end'; readonly file: string }
  | { readonly kind: 'new'; readonly folder: string; readonly format: 'json' | 'yaml' };

export interface DestinationItem extends vscode.QuickPickItem {
  readonly destination: Destination;
}

/** The folder of a destination, which also contains pages and solutions. */
export function folderOf(destination: Destination): string {
  return destination.kind === 'end' ? dirname(destination.file) : destination.folder;
}

/** The file for a new task. */
export function fileOf(destination: Destination, id: string): string {
  return destination.kind === 'end' ? destination.file : join(destination.folder, `${id}.tasks.${destination.format}`);
}

/** Task files to append to, those near the active editor first; then folders for a new file. */
export function destinationItems(
  files: TaskFiles,
  preferredPath: string | undefined,
): { existingFiles: readonly DestinationItem[]; newFiles: readonly DestinationItem[] } {
  const active = vscode.window.activeTextEditor?.document.uri;
  const nearPath = preferredPath ?? (active?.scheme === 'file' ? active.fsPath : undefined);
  const taskFiles = files.all.filter(({ folder }) => folder !== undefined).map(({ file }) => file);
  // The file itself first, then files in its folder, then the others by path.
  const distance = (file: string): number =>
    file === nearPath ? 0 : nearPath !== undefined && [dirname(nearPath), nearPath].includes(dirname(file)) ? 1 : 2;
  const existingFiles = taskFiles
    .toSorted((a, b) => distance(a.file) - distance(b.file) || a.file.localeCompare(b.file))
    .map(
      ({ file, rows }): DestinationItem => ({
        label: basename(file),
        description: l10n.t('in {0}', nameOf(dirname(file))),
        detail: l10n.t('{0}; appends the new task', taskCount(rows.length)),
        destination: { kind: 'end', file },
      }),
    );
  const roots = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const isInWorkspace =
    nearPath !== undefined && vscode.workspace.getWorkspaceFolder(vscode.Uri.file(nearPath)) !== undefined;
  const folders = new Set([
    ...(isInWorkspace
      ? [preferredPath !== undefined && !taskFiles.some(({ file }) => file === nearPath) ? nearPath : dirname(nearPath)]
      : []),
    ...roots.map(({ uri }) => uri.fsPath),
    ...taskFiles.map(({ file }) => dirname(file)),
  ]);
  const newFiles = [...folders].flatMap((folder) =>
    (['json', 'yaml'] as const).map(
      (format): DestinationItem => ({
        label: `$(new-file) ${l10n.t('New {0} File', format.toUpperCase())}`,
        description: l10n.t('in {0}', nameOf(folder)),
        destination: { kind: 'new', folder, format },
      }),
    ),
  );
  return { existingFiles, newFiles };
}

/** The ids of all tasks of a folder. Tasks with the same id would share a solution. */
export function usedIdsIn(files: TaskFiles, folder: string): ReadonlySet<string> {
  const rows = files.all.filter(({ file }) => dirname(file.file) === folder).flatMap(({ file }) => file.rows);
  return new Set(rows.flatMap(({ id }) => (id === null ? [] : [id])));
}

/** Says that a file cannot have another task. */
export function cannotAddTask(file: string): string {
  return l10n.t('Cannot add a task to {0}. It has a syntax error or defines a single task.', basename(file));
}

function nameOf(folder: string): string {
  const root = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === folder);
  return root === undefined ? vscode.workspace.asRelativePath(folder) : root.name;
}
