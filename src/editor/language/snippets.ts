import * as vscode from 'vscode';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { TaskSnippet } from '../../language/typing/task-prefix.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { current } from './current-file.ts';
import type { LanguageFeature } from './feature.ts';

/** Files of `snippets/` by the language of a document; a bare `tasks.json` is opened as `jsonc`. */
const NAMES: Readonly<Record<string, string>> = {
  json: 'json',
  jsonc: 'json',
  jsonl: 'jsonl',
  yaml: 'yaml',
  python: 'python',
};

/**
 * Beginnings of tasks. They are not contributed by package.json: VS Code would offer them everywhere in a file, in the
 * middle of a function's name too.
 */
export const taskSnippets: LanguageFeature = ({ files, extensionUri }) => {
  const snippets = new Map<string, Promise<readonly TaskSnippet[]>>();
  const snippetsOf = (name: string): Promise<readonly TaskSnippet[]> =>
    getOrCreate(snippets, name, () => load(vscode.Uri.joinPath(extensionUri, 'snippets', `${name}.json`)));
  return vscode.languages.registerCompletionItemProvider(TASK_DOCUMENTS, {
    async provideCompletionItems(document, position) {
      const name = NAMES[document.languageId];
      if (name === undefined) return undefined;
      const knownFile = await current(files, document);
      const { taskPrefixStart } = await import('../../language/typing/task-prefix.ts');
      const line = document.lineAt(position.line).text.slice(0, position.character);
      const text = (): string => document.getText();
      const start = taskPrefixStart(knownFile?.file ?? null, position, line, name, text);
      if (start === null) return undefined;
      const range = new vscode.Range(position.line, start, position.line, position.character);
      const mark = /^-[ \t]+/.exec(line.slice(start))?.[0] ?? '';
      return (await snippetsOf(name)).map(({ prefix, description, body }) => {
        const item = new vscode.CompletionItem({ label: prefix, description }, vscode.CompletionItemKind.Snippet);
        item.insertText = new vscode.SnippetString(body.join('\n'));
        item.range = range;
        item.filterText = `${mark}${prefix}`;
        item.sortText = `~${prefix}`;
        return item;
      });
    },
  });
};

async function load(uri: vscode.Uri): Promise<readonly TaskSnippet[]> {
  const { readSnippets } = await import('../../language/typing/task-prefix.ts');
  return readSnippets(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
}
