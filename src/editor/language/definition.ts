import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { kindAt } from '../../base/file-kind.ts';
import { SCHEME } from '../names.ts';
import { editorRange } from '../ranges.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { current } from './current-file.ts';
import type { LanguageFeature } from './feature.ts';

const FUNCTIONS = vscode.Uri.from({ scheme: SCHEME.functions, path: '/functions.md' });

/** Go to Definition: from a function name to its code or documentation, from a file name to the file. */
export const definition: LanguageFeature = ({ files, extensionUri }) => {
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME.functions, {
      provideTextDocumentContent: ({ path }) => read(vscode.Uri.joinPath(extensionUri, 'docs', path)),
    }),
    vscode.languages.registerDefinitionProvider(TASK_DOCUMENTS, {
      async provideDefinition(document, position): Promise<vscode.LocationLink[] | undefined> {
        const knownFile = await current(files, document);
        if (knownFile === undefined) return undefined;
        const { documentedAt, targetAt } = await import('../../language/navigation/definition.ts');
        const target = targetAt(knownFile.file, knownFile.userFunctions, position);
        if (target === undefined) return undefined;
        const originSelectionRange = editorRange(target.from);
        switch (target.kind) {
          case 'user': {
            const targetRange = editorRange(target.signature.range);
            return [{ originSelectionRange, targetUri: vscode.Uri.file(target.signature.file), targetRange }];
          }
          case 'builtin': {
            const text = await read(vscode.Uri.joinPath(extensionUri, 'docs', FUNCTIONS.path));
            const line = documentedAt(text, target.declaration);
            return [{ originSelectionRange, targetUri: FUNCTIONS, targetRange: new vscode.Range(line, 0, line, 0) }];
          }
          case 'file': {
            const path = join(dirname(document.uri.fsPath), target.name);
            // Validation reports a missing file.
            if ((await kindAt(path)) !== 'file') return undefined;
            const targetUri = vscode.Uri.file(path);
            return [{ originSelectionRange, targetUri, targetRange: new vscode.Range(0, 0, 0, 0) }];
          }
        }
      },
    }),
  );
};

async function read(uri: vscode.Uri): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}
