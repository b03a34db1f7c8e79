import * as vscode from 'vscode';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { FileSummary, Root } from '../../presentation/tasks/model.ts';
import type { KnownFile } from './known-file.ts';
import { pathBelow, type TaskFiles } from './task-files.ts';

/** The task files of the workspace by root folder, for the tree and the Testing view. */
export class TaskRoots {
  readonly #files: TaskFiles;
  readonly #summaries = new WeakMap<KnownFile, FileSummary>();

  constructor(files: TaskFiles) {
    this.#files = files;
  }

  /** Resolves after the first search of the workspace. A file has the same summary object until it changes. */
  async read(): Promise<readonly Root[]> {
    const [{ summarise }] = await Promise.all([import('./summary.ts'), this.#files.ready()]);
    return (vscode.workspace.workspaceFolders ?? []).map((folder) => ({
      name: folder.name,
      path: folder.uri.fsPath,
      files: this.#files.all
        .filter((known) => known.folder?.uri.toString() === folder.uri.toString())
        .map((known) =>
          getOrCreate(this.#summaries, known, () => summarise(known, pathBelow(folder, known.uri.fsPath))),
        ),
    }));
  }
}
