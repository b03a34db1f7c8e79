import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { inSlices } from '../../base/slices.ts';
import type { OutlineEntry } from '../../language/navigation/symbols.ts';
import { editorRange } from '../ranges.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { current } from './current-file.ts';
import type { LanguageFeature } from './feature.ts';

const KINDS: Readonly<Record<OutlineEntry['kind'], vscode.SymbolKind>> = {
  tasks: vscode.SymbolKind.Array,
  task: vscode.SymbolKind.Object,
  setup: vscode.SymbolKind.Function,
  evaluate: vscode.SymbolKind.Boolean,
};

/** Outline, breadcrumbs, and “Go to Symbol”: the tasks of a file and their calls. */
export const symbols: LanguageFeature = ({ files }) =>
  vscode.languages.registerDocumentSymbolProvider(
    TASK_DOCUMENTS,
    {
      async provideDocumentSymbols(document, token) {
        const knownFile = await current(files, document);
        if (knownFile === undefined) return undefined;
        const { outline } = await import('../../language/navigation/symbols.ts');
        return (await inSlices(outline(knownFile.file), token))?.map(symbol);
      },
    },
    { label: l10n.t('Tasks') },
  );

function symbol({ name, detail, kind, range, selection, children }: OutlineEntry): vscode.DocumentSymbol {
  const item = new vscode.DocumentSymbol(name, detail, KINDS[kind], editorRange(range), editorRange(selection));
  item.children = children.map(symbol);
  return item;
}
