import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { kindAt } from '../../base/file-kind.ts';
import { inSlices } from '../../base/slices.ts';
import { solutionOf } from '../../runs/solutions/solution-file.ts';
import type { Task } from '../../tasks/task.ts';
import { editorRange, workspaceEdit } from '../ranges.ts';
import { REGISTERED_DOCUMENTS, TASK_DOCUMENTS } from '../tasks/patterns.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { current } from './current-file.ts';
import type { LanguageFeature } from './feature.ts';
import { registeredAt } from './references.ts';

/** Renames the id of a task or of a task in code, and its solution file. */
export const rename: LanguageFeature = ({ files }) =>
  vscode.languages.registerRenameProvider(REGISTERED_DOCUMENTS, {
    async prepareRename(document, position) {
      const knownFile = await current(files, document);
      const { idAt } = await import('../../language/actions/rename.ts');
      const match = knownFile === undefined ? undefined : idAt(knownFile.file, position);
      if (match === undefined) {
        const registeredId = (await registeredAt(files, document, position))?.registeredId;
        if (registeredId?.range !== undefined)
          return { range: editorRange(registeredId.range), placeholder: registeredId.id };
        // In functions files, the language renames everything else.
        if (vscode.languages.match(TASK_DOCUMENTS, document) === 0) return undefined;
        throw new Error(l10n.t('Only the id of a task can be renamed.'));
      }
      const range = editorRange(match.range);
      return { range: withoutQuotes(document, range), placeholder: match.id };
    },

    async provideRenameEdits(document, position, name) {
      const knownFile = await current(files, document);
      const { idAt, renameId } = await import('../../language/actions/rename.ts');
      const match = knownFile === undefined ? undefined : idAt(knownFile.file, position);
      if (knownFile === undefined || match === undefined) return renameInCode(files, document, position, name);
      const renaming = renameId(knownFile.file, match, name);
      if ('refusal' in renaming) throw new Error(renaming.refusal);
      const edit = workspaceEdit(document.uri, renaming.edits);
      if (match.row.task !== null && name !== match.id) await renameSolution(edit, files, match.row.task, name, 1);
      return edit;
    },
  });

/** Renames the id of a task that code registers, in the code and where tasks refer to it. */
async function renameInCode(
  files: TaskFiles,
  document: vscode.TextDocument,
  position: vscode.Position,
  name: string,
): Promise<vscode.WorkspaceEdit | undefined> {
  const match = await registeredAt(files, document, position);
  if (match?.registeredId.range === undefined) return undefined;
  const [{ renameRegistered }] = await Promise.all([
    import('../../language/actions/rename-registered.ts'),
    files.ready(),
  ]);
  const renaming = await inSlices(renameRegistered(match.registeredId, name, match.names, files.all));
  if ('refusal' in renaming) throw new Error(renaming.refusal);
  const edit = new vscode.WorkspaceEdit();
  for (const { file, edits } of renaming.files) {
    for (const { range, text } of edits) edit.replace(vscode.Uri.file(file), editorRange(range), text);
  }
  const { class: task } = match.registeredId;
  if (task !== undefined && renaming.name !== task.name)
    await renameSolution(edit, files, { file: task.file, id: task.name, index: 0 }, renaming.name, 0);
  return edit;
}

/**
 * Renames the solution of a task with it, unless there is none, or another task in the folder has the same id.
 * @param rows the number of rows of task files that the task is
 */
async function renameSolution(
  edit: vscode.WorkspaceEdit,
  files: TaskFiles,
  task: Pick<Task, 'file' | 'id' | 'index'>,
  name: string,
  rows: 0 | 1,
): Promise<void> {
  const solution = solutionOf(task);
  if (solution === null || (await kindAt(solution)) === 'absent') return;
  const folder = dirname(solution);
  const inFolder = files.all.filter(({ uri }) => dirname(uri.fsPath) === folder).flatMap(({ file }) => file.rows);
  if (inFolder.filter(({ id }) => id === task.id).length > rows) return;
  const to = join(folder, `${name}.actions`);
  if ((await kindAt(to)) !== 'absent') throw new Error(l10n.t('The solution {0} already exists.', basename(to)));
  edit.renameFile(vscode.Uri.file(solution), vscode.Uri.file(to));
}

/** The range of an id without its quotes. */
function withoutQuotes(document: vscode.TextDocument, range: vscode.Range): vscode.Range {
  if (!/^(["']).*\1$/.test(document.getText(range))) return range;
  return range.with(range.start.translate(0, 1), range.end.translate(0, -1));
}
