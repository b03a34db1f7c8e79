import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { TaskFiles } from '../tasks/task-files.ts';

/** Where a new task goes. */
export type Destination =
  | { readonly kind: 'end'; readonly file: string }
  | { readonly kind: 'new'; readonly folder: string; readonly format: 'json' | 'yaml' };

export interface DestinationItem extends vscode.QuickPickItem {
  readonly destination: Destination;
}

/** The folder that a destination is in; pages and solutions stand there too. */
export function folderOf(destination: Destination): string {
  return destination.kind === 'end' ? dirname(destination.file) : destination.folder;
}

/** The file that a new task of the id goes into. */
export function fileOf(destination: Destination, id: string): string {
  return destination.kind === 'end' ? destination.file : join(destination.folder, `${id}.tasks.${destination.format}`);
}

/** Task files whose end can take one more, those near to what is open first; then folders for a new file. */
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
        description: `in ${nameOf(dirname(file))}`,
        detail: `${rows.length === 1 ? '1 task' : `${rows.length} tasks`}; the new one goes to the end`,
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
        label: `$(new-file) New ${format.toUpperCase()} file`,
        description: `in ${nameOf(folder)}`,
        destination: { kind: 'new', folder, format },
      }),
    ),
  );
  return { ends, fresh };
}

/** The ids of all tasks of a folder: two of one id would share a solution. */
export function takenIds(files: TaskFiles, folder: string): ReadonlySet<string> {
  const rows = files.all.filter(({ file }) => dirname(file.file) === folder).flatMap(({ file }) => file.rows);
  return new Set(rows.flatMap(({ id }) => (id === null ? [] : [id])));
}

function nameOf(folder: string): string {
  const root = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.fsPath === folder);
  return root === undefined ? vscode.workspace.asRelativePath(folder) : root.name;
}

/** The file itself first, then what is in its folder, then the rest by path. */
function nearest<T>(near: string | undefined, fileOfItem: (item: T) => string): (a: T, b: T) => number {
  const distance = (file: string): number =>
    file === near ? 0 : near !== undefined && (dirname(file) === dirname(near) || dirname(file) === near) ? 1 : 2;
  return (a, b) => distance(fileOfItem(a)) - distance(fileOfItem(b)) || fileOfItem(a).localeCompare(fileOfItem(b));
}
