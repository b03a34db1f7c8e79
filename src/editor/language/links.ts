import { dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { getOrCreate } from '../../base/get-or-create.ts';
import { inSlices } from '../../base/slices.ts';
import { editorRange } from '../ranges.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { current } from './current-file.ts';
import type { LanguageFeature } from './feature.ts';

/** Number of rows with links, which VS Code requests at each pause in typing. “Go to Definition” works in all rows. */
const ROWS = 500;

/** Links from file names to existing files next to a task file, and from task ids to solutions. */
export const links: LanguageFeature = ({ files }) =>
  vscode.languages.registerDocumentLinkProvider(TASK_DOCUMENTS, {
    async provideDocumentLinks(document, token) {
      const knownFile = await current(files, document);
      if (knownFile === undefined) return undefined;
      const { fileNamesIn } = await import('../../language/navigation/links.ts');
      const names = await inSlices(fileNamesIn(knownFile.file, ROWS), token);
      if (names === undefined) return undefined;
      const folder = dirname(document.uri.fsPath);
      const existingFiles = await existing(folder, new Set(names.map(({ name }) => name)));
      return names
        .filter(({ name }) => existingFiles.has(name))
        .map(({ name, range, solution }) => {
          const link = new vscode.DocumentLink(editorRange(range), vscode.Uri.file(join(folder, name)));
          link.tooltip = solution ? l10n.t('Open Solution') : l10n.t('Open {0}', name);
          return link;
        });
    },
  });

/** The names that are files. Each folder is listed once. */
async function existing(folder: string, names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const files = new Map<string, Promise<ReadonlySet<string>>>();
  const existingNames = new Set<string>();
  for (const name of names) {
    const path = join(folder, name);
    const parent = dirname(path);
    if ((await getOrCreate(files, parent, () => filesIn(parent))).has(path)) existingNames.add(name);
  }
  return existingNames;
}

async function filesIn(folder: string): Promise<ReadonlySet<string>> {
  try {
    const entries = await vscode.workspace.fs.readDirectory(vscode.Uri.file(folder));
    return new Set(entries.filter(([, type]) => type & vscode.FileType.File).map(([name]) => join(folder, name)));
  } catch {
    // Validation reports missing files.
    return new Set();
  }
}
