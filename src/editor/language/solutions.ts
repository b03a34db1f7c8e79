import * as vscode from 'vscode';
import type { ActionSchema } from '../../language/solutions/object-actions.ts';
import { SOLUTION_DOCUMENTS } from '../tasks/patterns.ts';
import type { LanguageFeature } from './feature.ts';
import { solutionFormat } from './solution-format.ts';

/** `.actions` files: hover and completion. */
export const solutions: LanguageFeature = (context) => {
  return vscode.Disposable.from(
    vscode.languages.registerHoverProvider(SOLUTION_DOCUMENTS, {
      async provideHover(document, { line, character }) {
        const { solutionHover } = await import('../../language/solutions/typing.ts');
        const { text } = document.lineAt(line);
        const { schema } = solutionFormat(document.uri.fsPath, context);
        const ofObject =
          schema === undefined
            ? null
            : (await import('../../language/solutions/object-actions.ts')).objectHover(text, character, schema);
        const hoverText = ofObject ?? solutionHover(text, character);
        if (hoverText === null) return undefined;
        return new vscode.Hover(
          new vscode.MarkdownString(hoverText.text),
          new vscode.Range(line, hoverText.start, line, hoverText.end),
        );
      },
    }),
    vscode.languages.registerCompletionItemProvider(SOLUTION_DOCUMENTS, {
      async provideCompletionItems(document, { line, character }) {
        const { solutionCompletions } = await import('../../language/solutions/typing.ts');
        const { dialect, schema } = solutionFormat(document.uri.fsPath, context);
        const ofObject = schema === undefined ? [] : await completeObject(document, line, character, schema);
        const calls = solutionCompletions(document.lineAt(line).text, character);
        const onlyObjects = schema !== undefined && dialect.dialect === 'object';
        const usable = onlyObjects ? calls.filter(({ name }) => OBJECT_CALLS.has(name)) : calls;
        const ofCalls = usable.map(({ name, parameters, snippet, doc }) => {
          const item = new vscode.CompletionItem(
            { label: name, detail: parameters },
            vscode.CompletionItemKind.Function,
          );
          item.insertText = new vscode.SnippetString(snippet);
          item.documentation = new vscode.MarkdownString(doc);
          return item;
        });
        return [...ofObject, ...ofCalls];
      },
    }),
  );
};

/** The calls that stand beside actions that are objects. */
const OBJECT_CALLS: ReadonlySet<string> = new Set(['response', 'report_infeasible']);

const KINDS = {
  action: vscode.CompletionItemKind.Snippet,
  key: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.Value,
} as const;

async function completeObject(
  document: vscode.TextDocument,
  line: number,
  character: number,
  schema: ActionSchema,
): Promise<vscode.CompletionItem[]> {
  const { objectCompletions } = await import('../../language/solutions/object-actions.ts');
  const { text } = document.lineAt(line);
  return objectCompletions(text, character, schema).map(({ kind, label, snippet, start, end, doc }, index) => {
    const item = new vscode.CompletionItem(label, KINDS[kind]);
    item.insertText = new vscode.SnippetString(snippet);
    item.range = new vscode.Range(line, start, line, end);
    // The quotation mark of a key may be written already.
    if (kind === 'key') item.filterText = JSON.stringify(label);
    item.sortText = String(index).padStart(4, '0');
    item.documentation = new vscode.MarkdownString(doc);
    return item;
  });
}
