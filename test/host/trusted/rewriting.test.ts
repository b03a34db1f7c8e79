import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, problemsOf, workspaceUri } from '../workspace.ts';

async function written(name: string, text: string): Promise<vscode.Uri> {
  const uri = workspaceUri('rewriting', name);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return uri;
}

async function opened(name: string, text: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(await written(name, text));
  await vscode.window.showTextDocument(document);
  return document;
}

/** Puts the cursor at a word and takes what the menu Refactor... offers under that name. */
async function chosen(document: vscode.TextDocument, word: string, title: string): Promise<vscode.CodeAction> {
  const at = document.positionAt(document.getText().indexOf(word));
  const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    document.uri,
    new vscode.Range(at, at),
    vscode.CodeActionKind.Refactor.value,
    100,
  );
  const action = found.find((each) => each.title === title);
  assert.ok(action, found.map((each) => each.title).join(', '));
  return action;
}

describe('rewriting a task', () => {
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(workspaceUri('rewriting'), { recursive: true });
  });

  for (const [name, before, after] of [
    [
      'a.task.json',
      '{\n  "id": "a",\n  "evaluate": ["page_contains", "x"]\n}\n',
      '{\n  "id": "a",\n  "evaluate": { "function": "page_contains", "args": ["x"] }\n}\n',
    ],
    ['b.tasks.jsonl', '{"id":"a","evaluate":["f","x"]}\n', '{"id":"a","evaluate":{"function":"f","args":["x"]}}\n'],
  ] as const) {
    it(`writes a call another way: ${name}`, async () => {
      const document = await opened(name, before);
      const { edit } = await chosen(document, '"x"', 'Write the call as an object');
      assert.ok(edit);
      await vscode.workspace.applyEdit(edit);
      assert.equal(document.getText(), after);
    });
  }

  it('converts a task to another era and says what it keeps aside', async () => {
    const document = await opened('c.tasks.yaml', '- id: p1\n  scenario: count # how\n  env:\n    name: blank\n');
    const { edit, command } = await chosen(document, 'count', 'Convert to HUD 0.6');
    assert.ok(edit);
    assert.match(JSON.stringify(command?.arguments), /metadata\.id/);
    await vscode.workspace.applyEdit(edit);
    assert.match(document.getText(), /^- id: count # how\n {2}env: blank\n {2}metadata:/);
  });

  it('renames a task, and its solution with it', async () => {
    const row = '"gym": "qa", "prompt": "p", "evaluate": ["response_is", "x"]';
    await written('old.actions', 'send_msg_to_user("x")\n');
    const document = await opened('d.tasks.json', `[{"id": "old", ${row}}, {"id": "other", ${row}}]`);
    const rename = (to: string) =>
      vscode.commands.executeCommand<vscode.WorkspaceEdit>(
        'vscode.executeDocumentRenameProvider',
        document.uri,
        new vscode.Position(0, 10),
        to,
      );
    await assert.rejects(async () => rename('other'), /already/);
    const edit = await rename('new');
    await vscode.workspace.applyEdit(edit);
    assert.match(document.getText(), /^\[\{"id": "new", /);
    const files = await vscode.workspace.fs.readDirectory(workspaceUri('rewriting'));
    const solutions = files.map(([name]) => name).filter((name) => name.endsWith('.actions'));
    assert.deepEqual(solutions, ['new.actions']);
    await problemsOf(document.uri, (problems) => problems.length === 0);
  });

  it('adds what is missing, with the word to write over selected', async () => {
    const document = await opened('e.task.json', '{\n  "id": "e",\n  "gym": "qa",\n  "prompt": "p"\n}\n');
    await problemsOf(document.uri);
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    editor.selection = new vscode.Selection(2, 4, 2, 4);
    await vscode.commands.executeCommand('editor.action.codeAction', {
      kind: 'refactor.rewrite.taskwright.add',
      apply: 'ifSingle',
    });
    const word = await eventually(() => document.getText(editor.selection) || undefined);
    assert.equal(word, 'the answer');
    assert.match(document.getText(), /"prompt": "p",\n {2}"evaluate": \["response_includes", "the answer"\]\n\}/);
  });
});
