import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';

/** Scheme of files as a run recorded them. */
export const CHANGED_FILE = 'taskwright-file';

/** Shows files as they were at a step of a run: `taskwright-file:/path/in/the/folder?<where the text is recorded>`. */
export function registerChangedFiles(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(CHANGED_FILE, {
    async provideTextDocumentContent({ query }) {
      if (query === '') return '';
      const { recordedText } = await import('./recorded-text.ts');
      const path = recordedText.parse(JSON.parse(query));
      return readFile(join(path.run, 'files', path.name), 'utf8');
    },
  });
}
