import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { taskCount } from '../tasks/model.ts';
import type { TaskFiles } from '../tasks/task-files.ts';

/** Where a new task goes. */
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
  preferred: string | undefined,
): { ends: readonly DestinationItem[]; fresh: readonly DestinationItem[] } {
  const active = vscode.window.activeTextEditor?.document.uri;
  const near = preferred ?? (active?.scheme === 'file' ? active.fsPath : undefined);
  const known = files.all.filter(({ folder }) => folder !== undefined).map(({ file }) => file);
  const ends = known
    .map(
      ({ file, rows }): DestinationItem => ({
        label: basename(file),
        description: l10n.t('in {0}', nameOf(dirname(file))),
        detail: l10n.t('{0}; appends the new task', taskCount(rows.length)),
        destination: { kind: 'end', file },
      }),
    )
    .sort(nearest(near, ({ destination }) => (destination.kind === 'end' ? destination.file : '')));
  const roots = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const inside = near !== undefined && vscode.workspace.getWorkspaceFolder(vscode.Uri.file(near)) !== undefined;
  const folders = new Set([
    ...(inside ? [preferred !== undefined && !known.some(({ file }) => file === near) ? near : dirname(near)] : []),
    ...roots.map(({ uri }) => uri.fsPath),
    ...known.map(({ file }) => dirname(file)),
  ]);
  const fresh = [...folders].flatMap((folder) =>
    (['json', 'yaml'] as const).map(
      (format): DestinationItem => ({
        label: `$(new-file) ${l10n.t('New {0} File', format.toUpperCase())}`,
        description: l10n.t('in {0}', nameOf(folder)),
        destination: { kind: 'new', folder, format },
      }),
    ),
  );
  return { ends, fresh };
}

/** The ids of all tasks of a folder. Tasks with the same id would share a solution. */
export function takenIds(files: TaskFiles, folder: string): ReadonlySet<string> {
  const rows = files.all.filter(({ file }) => dirname(file.file) === folder).flatMap(({ file }) => file.rows);
  return new Set(rows.flatMap(({ id }) => (id === null ? [] : [id])));
}

function nameOf(folder: string): string {
  const root = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === folder);
  return root === undefined ? vscode.workspace.asRelativePath(folder) : root.name;
}

/** The file itself first, then files in its folder, then the others by path. */
function nearest<T>(near: string | undefined, fileOfItem: (item: T) => string): (a: T, b: T) => number {
  const distance = (file: string): number =>
    file === near ? 0 : near !== undefined && (dirname(file) === dirname(near) || dirname(file) === near) ? 1 : 2;
  return (a, b) => distance(fileOfItem(a)) - distance(fileOfItem(b)) || fileOfItem(a).localeCompare(fileOfItem(b));
}
