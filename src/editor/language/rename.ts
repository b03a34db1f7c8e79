import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { solutionOf } from '../../runs/solutions/solution-file.ts';
import type { TaskRow } from '../../tasks/rows.ts';
import { editorRange, workspaceEdit } from '../ranges.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { current } from './current.ts';
import type { LanguageFeature } from './feature.ts';

/** Renames the id of a task and its solution file. */
export const rename: LanguageFeature = ({ files }) =>
  vscode.languages.registerRenameProvider(TASK_DOCUMENTS, {
    async prepareRename(document, position) {
      const [known, { idAt }] = await Promise.all([
        current(files, document),
        import('../../language/actions/rename.ts'),
      ]);
      const found = known === undefined ? undefined : idAt(known.file, position);
      if (found === undefined) throw new Error(l10n.t('Only the id of a task can be renamed.'));
      const range = editorRange(found.range);
      return { range: withoutQuotes(document, range), placeholder: found.id };
    },

    async provideRenameEdits(document, position, name) {
      const [known, { idAt, renameId }] = await Promise.all([
        current(files, document),
        import('../../language/actions/rename.ts'),
      ]);
      const found = known === undefined ? undefined : idAt(known.file, position);
      if (known === undefined || found === undefined) return undefined;
      const renamed = renameId(known.file, found, name);
      if ('refused' in renamed) throw new Error(renamed.refused);
      const edit = workspaceEdit(document.uri, renamed.edits);
      const solution = await ownSolution(files, found.row);
      if (solution !== null && name !== found.id) {
        const to = join(dirname(solution), `${name}.actions`);
        if (await exists(to)) throw new Error(l10n.t('The solution {0} already exists.', basename(to)));
        edit.renameFile(vscode.Uri.file(solution), vscode.Uri.file(to));
      }
      return edit;
    },
  });

/** The solution of a task; null if there is none, or another task in the folder has the same id. */
async function ownSolution(files: TaskFiles, row: TaskRow): Promise<string | null> {
  const solution = row.task === null ? null : solutionOf(row.task);
  if (solution === null || !(await exists(solution))) return null;
  const folder = dirname(solution);
  const rowsInFolder = files.all.filter(({ uri }) => dirname(uri.fsPath) === folder).flatMap(({ file }) => file.rows);
  return rowsInFolder.filter(({ id }) => id === row.id).length > 1 ? null : solution;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** The range of an id without its quotes. */
function withoutQuotes(document: vscode.TextDocument, range: vscode.Range): vscode.Range {
  if (!/^(["']).*\1$/.test(document.getText(range))) return range;
  return range.with(range.start.translate(0, 1), range.end.translate(0, -1));
}
