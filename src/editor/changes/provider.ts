import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { SCHEME } from '../names.ts';

/** Provides the content of recorded files: `taskwright-file:/path/in/the/folder?<RecordedText as JSON>`. */
export function registerChangedFiles(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME.recordedFile, {
    async provideTextDocumentContent({ query }) {
      if (query === '') return '';
      const { recordedText } = await import('./recorded-text.ts');
      const path = recordedText.parse(JSON.parse(query));
      return readFile(join(path.run, 'files', path.name), 'utf8');
    },
  });
}
