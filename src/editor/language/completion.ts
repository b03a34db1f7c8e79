import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { CompletionItem, CompletionKind } from '../../language/typing/completion.ts';
import { editorRange } from '../ranges.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { current } from './current-file.ts';
import type { LanguageFeature } from './feature.ts';
import { pageFiles, pageText } from './pages.ts';

/** Characters that start or continue a value. */
const TRIGGERS = ['"', "'", '[', '(', '{', ',', ':', ' ', '#', '.', '/', '='];

const { CompletionItemKind: Kind } = vscode;
const KINDS: Readonly<Record<CompletionKind, vscode.CompletionItemKind>> = {
  key: Kind.Property,
  task: Kind.Snippet,
  environment: Kind.Module,
  function: Kind.Function,
  'user-function': Kind.Method,
  value: Kind.Value,
  enum: Kind.EnumMember,
  file: Kind.File,
  selector: Kind.Reference,
  tag: Kind.Keyword,
};

const NEXT: Readonly<Record<NonNullable<CompletionItem['next']>, vscode.Command>> = {
  completion: { command: 'editor.action.triggerSuggest', title: l10n.t('Suggest') },
  signature: { command: 'editor.action.triggerParameterHints', title: l10n.t('Show Arguments') },
};

/** Completion in task files of every format. */
export const completion: LanguageFeature = ({ files }) => {
  let usedValues: import('../../language/typing/used-values.ts').UsedValues | undefined;
  return vscode.languages.registerCompletionItemProvider(
    TASK_DOCUMENTS,
    {
      async provideCompletionItems(document, position, token) {
        const [knownFile, { completions }, { UsedValues }] = await Promise.all([
          current(files, document),
          import('../../language/typing/completion.ts'),
          import('../../language/typing/used-values.ts'),
        ]);
        if (knownFile === undefined || token.isCancellationRequested) return undefined;
        usedValues ??= new UsedValues();
        const values = usedValues;
        const { file, userFunctions } = knownFile;
        const items = await completions(file, position, {
          own: userFunctions,
          pages: () => pageFiles(document.uri),
          page: (name) => pageText(document.uri, name),
          used: () =>
            values.collect(
              file,
              file.rowAt(position)?.index ?? 0,
              files.all.map((other) => other.file),
            ),
        });
        if (items.length === 0) return undefined;
        // Each part of a selector has its own completions.
        const incomplete = items.some(({ kind }) => kind === 'selector');
        return new vscode.CompletionList(
          items.map((item) => asItem(item, document)),
          incomplete,
        );
      },
    },
    ...TRIGGERS,
  );
};

function asItem(item: CompletionItem, document: vscode.TextDocument): vscode.CompletionItem {
  const range = editorRange(item.range);
  const quote = /^["']/.exec(document.getText(range))?.[0];
  const { signature: detail, detail: description } = item;
  const label = { label: item.label, ...defined({ detail, description }) };
  const completionItem = new vscode.CompletionItem(label, KINDS[item.kind]);
  completionItem.insertText = item.snippet ? new vscode.SnippetString(item.text) : item.text;
  completionItem.range = range;
  completionItem.keepWhitespace = item.indented === true;
  completionItem.filterText = `${quote ?? ''}${item.filter}`;
  completionItem.sortText = item.sort;
  if (item.doc !== undefined) completionItem.documentation = new vscode.MarkdownString(item.doc);
  if (item.also !== undefined)
    completionItem.additionalTextEdits = [vscode.TextEdit.replace(editorRange(item.also.range), item.also.text)];
  if (item.next !== undefined) completionItem.command = NEXT[item.next];
  return completionItem;
}
