import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, problemsOf, workspaceUri } from '../workspace.ts';

describe('an id that two files of the workspace share', () => {
  const [first, second] = ['a.task.json', 'b.task.yaml'].map((name) => workspaceUri('shared', name));
  assert.ok(first && second);
  const write = (uri: vscode.Uri, text: string): Thenable<void> =>
    vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  after(() => vscode.workspace.fs.delete(workspaceUri('shared'), { recursive: true }));

  it('is said in the later file, with the way to the other, until one of them is named anew', async function () {
    this.timeout(120_000);
    await write(first, '{"id": "ask", "prompt": "p", "gym": "qa", "evaluate": ["response_is", "x"]}\n');
    await write(second, 'id: ask\nprompt: p\ngym: qa\nevaluate: [response_is, x]\n');
    // Opened, they are read at once; what is on disk is heard of when the system tells.
    await vscode.workspace.openTextDocument(first);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(second));
    const [problem] = await problemsOf(second);
    assert.match(problem?.message ?? '', /“ask” is also used in a\.task\.json, line 1/);
    assert.equal(problem?.relatedInformation?.[0]?.location.uri.path, first.path);
    const document = await vscode.workspace.openTextDocument(second);
    await vscode.window.showTextDocument(document);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(second, new vscode.Position(0, 'id: ask'.length), '-again');
    await vscode.workspace.applyEdit(edit);
    await problemsOf(second, (problems) => problems.length === 0);
    await document.save();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('registered twice in code next to tasks, is an error at both places until one of them is gone', async function () {
    this.timeout(120_000);
    const [one, two] = ['one.py', 'two.py'].map((name) => workspaceUri('shared', name));
    assert.ok(one && two);
    await write(one, 'class A: ...\nregister_custom_task("cards", A)\n');
    await write(two, '\nclass B: ...\nregister_custom_task("cards", B)\n');
    const [problem] = await problemsOf(one);
    assert.match(problem?.message ?? '', /“custom\/cards” is also registered in two\.py:2/);
    assert.equal(problem?.relatedInformation?.[0]?.location.uri.path, two.path);
    await problemsOf(two);
    await write(two, '\nclass B: ...\nregister_custom_task("more", B)\n');
    await problemsOf(one, (problems) => problems.length === 0);
    await problemsOf(two, (problems) => problems.length === 0);
  });

  it('in code, is found and renamed where tasks name it', async function () {
    this.timeout(120_000);
    const [code, tasks] = ['cards.py', 'cards.task.json'].map((name) => workspaceUri('shared', name));
    assert.ok(code && tasks);
    await write(code, 'class C: ...\nregister_custom_task("sort", C)\n');
    await write(tasks, '{"prompt": "p", "gym": {"type": "browsergym", "benchmark": "custom", "task_name": "sort"}}\n');
    await vscode.workspace.openTextDocument(tasks);
    await vscode.workspace.openTextDocument(code);
    const position = new vscode.Position(1, 'register_custom_task("so'.length);
    const lines = await eventually(async () => {
      const found = await vscode.commands.executeCommand<vscode.Location[]>(
        'vscode.executeReferenceProvider',
        code,
        position,
      );
      return found.length < 2 ? undefined : found.map(({ uri, range }) => [uri.path, range.start.line]);
    });
    assert.deepEqual(lines, [
      [code.path, 1],
      [tasks.path, 0],
    ]);
    const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit>(
      'vscode.executeDocumentRenameProvider',
      code,
      position,
      'order',
    );
    assert.deepEqual(
      edit.entries().map(([uri, edits]) => [uri.path, edits.map(({ newText }) => newText.replaceAll('"', ''))]),
      [
        [code.path, ['order']],
        [tasks.path, ['order']],
      ],
    );
  });
});
