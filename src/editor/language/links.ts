import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { inSlices } from '../../tasks/slices.ts';
import { editorRange } from '../ranges.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { current } from './current.ts';
import type { LanguageFeature } from './feature.ts';

/** Links are asked for at each pause in typing; in the rows after these “Go to Definition” still opens a file. */
const ROWS = 500;

/** Names of files beside a task file, as far as there are such files, and the solution of each task behind its id. */
export const links: LanguageFeature = ({ files }) =>
  vscode.languages.registerDocumentLinkProvider(TASK_DOCUMENTS, {
    async provideDocumentLinks(document, token) {
      const [known, { fileNamesIn }] = await Promise.all([
        current(files, document),
        import('../../language/navigation/links.ts'),
      ]);
      const names = known === undefined ? undefined : await inSlices(fileNamesIn(known.file, ROWS), token);
      if (names === undefined) return undefined;
      const folder = dirname(document.uri.fsPath);
      const there = await existing(folder, new Set(names.map(({ name }) => name)));
      return names
        .filter(({ name }) => there.has(name))
        .map(({ name, range, solution }) => {
          const link = new vscode.DocumentLink(editorRange(range), vscode.Uri.file(join(folder, name)));
          link.tooltip = solution ? 'Open the solution' : `Open ${name}`;
          return link;
        });
    },
  });

/** Which of the names are files. A folder is listed once, however many files are named in it. */
async function existing(folder: string, names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const listed = new Map<string, Promise<ReadonlySet<string>>>();
  const there = new Set<string>();
  for (const name of names) {
    const path = join(folder, name);
    const parent = dirname(path);
    const entries = listed.get(parent) ?? filesIn(parent);
    listed.set(parent, entries);
    if ((await entries).has(path)) there.add(name);
  }
  return there;
}

async function filesIn(folder: string): Promise<ReadonlySet<string>> {
  try {
    const entries = await vscode.workspace.fs.readDirectory(vscode.Uri.file(folder));
    return new Set(entries.filter(([, type]) => type & vscode.FileType.File).map(([name]) => join(folder, name)));
  } catch {
    // A folder that cannot be listed has no file to open; what is missing is said among the problems.
    return new Set();
  }
}
