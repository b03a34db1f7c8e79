import assert from 'node:assert/strict';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { eventually, workspaceUri } from '../workspace.ts';

const todo = ['examples', 'todo', 'todo.task.yaml'] as const;
const functions = ['examples', 'todo', 'todo.functions.ts'] as const;

/** Asks a provider until it answers: the language's own may take their time. */
async function ask<T>(command: string, ...args: readonly unknown[]): Promise<readonly T[]> {
  return eventually(async () => {
    const found = await vscode.commands.executeCommand<readonly T[] | undefined>(command, ...args);
    return found !== undefined && found.length > 0 ? found : undefined;
  });
}

async function at(uri: vscode.Uri, text: string): Promise<vscode.Position> {
  const document = await vscode.workspace.openTextDocument(uri);
  const offset = document.getText().indexOf(text);
  assert.notEqual(offset, -1, `${text} stands nowhere in ${uri.path}`);
  return document.positionAt(offset + text.length - 2);
}

describe('finding one’s way in task files', () => {
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  for (const path of [
    ['examples', 'login', 'login.taskset.json'],
    ['examples', 'capitals', 'capitals.tasks.jsonl'],
    ['examples', 'shop', 'shop.taskset.yaml'],
    ['broken', 'answers.py'],
  ] as const) {
    it(`the outline of ${basename(path.at(-1) ?? '')} names its tasks and their calls`, async () => {
      const uri = workspaceUri(...path);
      await vscode.workspace.openTextDocument(uri);
      const tasks = await eventually(async () => {
        const symbols = await ask<vscode.DocumentSymbol>('vscode.executeDocumentSymbolProvider', uri);
        const ours = symbols.filter(({ detail, children }) => detail.length > 10 && children.length > 0);
        return ours.length > 0 ? ours : undefined;
      });
      const document = await vscode.workspace.openTextDocument(uri);
      for (const { name, selectionRange, children } of tasks) {
        assert.ok(document.getText(selectionRange).includes(name), name);
        for (const call of children) assert.equal(document.getText(call.selectionRange), call.name);
      }
    });
  }

  it('the breadcrumbs in Python lead through the task to the call', async () => {
    const uri = workspaceUri('broken', 'answers.py');
    const position = await at(uri, '"response_includes"');
    const path = await eventually(async () => {
      let symbols = await ask<vscode.DocumentSymbol>('vscode.executeDocumentSymbolProvider', uri);
      const names: string[] = [];
      for (;;) {
        const inside = symbols.find(({ range }) => range.contains(position));
        if (inside === undefined) return names.length > 0 ? names : undefined;
        names.push(inside.name);
        symbols = inside.children;
      }
    });
    assert.deepEqual(path, ['capital-of-peru', 'response_includes']);
  });

  it('a name leads to the code of one’s own function', async () => {
    const uri = workspaceUri(...todo);
    const [link] = await ask<vscode.LocationLink>(
      'vscode.executeDefinitionProvider',
      uri,
      await at(uri, 'function: done_items'),
    );
    assert.ok(link);
    assert.equal(link.targetUri.fsPath, workspaceUri(...functions).fsPath);
    const code = await vscode.workspace.openTextDocument(link.targetUri);
    assert.equal(code.getText(link.targetRange), 'done_items');
  });

  it('a name leads to what the documentation says of a built-in function', async () => {
    const uri = workspaceUri('examples', 'shop', 'shop.taskset.yaml');
    const [link] = await ask<vscode.LocationLink>(
      'vscode.executeDefinitionProvider',
      uri,
      await at(uri, 'page_contains'),
    );
    assert.ok(link);
    const page = await vscode.workspace.openTextDocument(link.targetUri);
    assert.match(page.lineAt(link.targetRange.start.line).text, /^\| `page_contains\(/);
  });

  it('a function’s code leads to every task that uses it, and says how many there are', async () => {
    const uri = workspaceUri(...functions);
    const found = await eventually(async () => {
      const all = await ask<vscode.Location>('vscode.executeReferenceProvider', uri, await at(uri, 'done_items'));
      const ours = all.filter((location) => location.uri.fsPath === workspaceUri(...todo).fsPath);
      return ours.length > 0 ? ours : undefined;
    });
    const task = await vscode.workspace.openTextDocument(workspaceUri(...todo));
    assert.deepEqual(
      found.map(({ range }) => task.getText(range)),
      ['done_items'],
    );
    const titles = (await ask<vscode.CodeLens>('vscode.executeCodeLensProvider', uri)).map(
      ({ command }) => command?.title,
    );
    assert.ok(titles.includes('used by 1 task'), titles.join());
  });

  it('a name in a task leads to the tasks of the whole workspace that use it', async () => {
    const uri = workspaceUri('examples', 'shop', 'shop.taskset.yaml');
    const found = await ask<vscode.Location>('vscode.executeReferenceProvider', uri, await at(uri, 'page_contains'));
    const files = new Set(found.map((location) => basename(location.uri.path)));
    assert.ok(files.has('shop.taskset.yaml') && files.has('login.taskset.json'), [...files].join());
  });

  it('pages and solutions open by a click', async () => {
    const uri = workspaceUri('examples', 'login', 'login.taskset.json');
    const document = await vscode.workspace.openTextDocument(uri);
    const links = await ask<vscode.DocumentLink>('vscode.executeLinkProvider', uri);
    const targets = links.map(({ range, target }) => [document.getText(range), basename(target?.path ?? '')]);
    assert.deepEqual(
      targets.filter(([text]) => text === 'log-in'),
      [['log-in', 'log-in.actions']],
    );
    assert.ok(targets.some(([text, target]) => text === 'login.html' && target === 'login.html'));
  });

  it('the same function is marked wherever the file calls it', async () => {
    const uri = workspaceUri('examples', 'login', 'login.taskset.json');
    const document = await vscode.workspace.openTextDocument(uri);
    const marked = await ask<vscode.DocumentHighlight>('vscode.executeDocumentHighlights', uri, await at(uri, 'goto'));
    assert.deepEqual(new Set(marked.map(({ range }) => document.getText(range))), new Set(['goto']));
    assert.ok(marked.length > 1);
  });

  it('comments in a file of actions fold', async () => {
    const document = await vscode.workspace.openTextDocument({
      language: 'taskwright-actions',
      content: "# one\n# two\nclick('#a')\n",
    });
    const [fold] = await ask<vscode.FoldingRange>('vscode.executeFoldingRangeProvider', document.uri);
    assert.deepEqual([fold?.start, fold?.end, fold?.kind], [0, 1, vscode.FoldingRangeKind.Comment]);
  });

  it('tasks and task classes are found by their ids in the workspace', async () => {
    const found = await eventually(async () => {
      const all = await vscode.commands.executeCommand<vscode.SymbolInformation[]>(
        'vscode.executeWorkspaceSymbolProvider',
        'copypaste',
      );
      const ours = all.filter(({ location }) => location.uri.path.includes('/python-tasks/'));
      return ours.length > 2 ? ours : undefined;
    });
    assert.deepEqual(
      found
        .map(({ name, location }) => [name, location.uri.path.replace(/.*\//, ''), location.range.start.line])
        .sort(),
      [
        ['copy-paste-multitab', 'python.tasks.json', 6],
        ['copy-paste-python', 'python.tasks.json', 2],
        ['custom/copy-paste', 'custom_tasks.py', 10],
        ['custom/copy-paste-multitab', 'custom_tasks.py', 48],
      ],
    );
  });
});
