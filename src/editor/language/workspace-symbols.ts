import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { inSlices } from '../../base/slices.ts';
import { editorRange } from '../ranges.ts';
import type { LanguageFeature } from './feature.ts';

/** “Go to Symbol in Workspace”: tasks by their ids, and task classes. */
export const workspaceSymbolSearch: LanguageFeature = ({ files }) =>
  vscode.languages.registerWorkspaceSymbolProvider({
    async provideWorkspaceSymbols(query, token) {
      const [{ workspaceSymbols }] = await Promise.all([
        import('../../language/navigation/workspace-symbols.ts'),
        files.ready(),
      ]);
      const all = files.all.map(({ file }) => file);
      const folders = [...new Set(all.map(({ file }) => dirname(file)))];
      const functions = await Promise.all(folders.map((folder) => files.functions.of(folder)));
      return (await inSlices(workspaceSymbols(query, all, functions), token))?.map(({ name, kind, file, range }) => {
        const location = new vscode.Location(vscode.Uri.file(file), editorRange(range));
        const symbolKind = kind === 'class' ? vscode.SymbolKind.Class : vscode.SymbolKind.Object;
        return new vscode.SymbolInformation(name, symbolKind, '', location);
      });
    },
  });
