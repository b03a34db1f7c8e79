import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { problemsOf, wordsAt, workspaceUri } from '../workspace.ts';

describe('problems', () => {
  it('stand under the misspelt function and name the right one', async () => {
    const uri = workspaceUri('broken', 'typo.task.json');
    const document = await vscode.workspace.openTextDocument(uri);
    const [problem] = await problemsOf(uri);
    assert.ok(problem);
    assert.match(wordsAt(document, problem), /page_contain/);
    assert.match(problem.message, /page_contains/);
    assert.equal(problem.severity, vscode.DiagnosticSeverity.Error);
    assert.ok(typeof problem.code === 'object');
    assert.equal(problem.code.value, 'unknown-function');
    assert.match(problem.code.target.path, /\/docs\/rules\/unknown-function\.md$/);
  });

  it('lead from their code to the page about it', async () => {
    const [problem] = await problemsOf(workspaceUri('broken', 'typo.task.json'));
    assert.ok(typeof problem?.code === 'object');
    const page = await vscode.workspace.openTextDocument(problem.code.target);
    assert.match(page.getText(), /^# Unknown function\n\n`unknown-function` · error/);
  });

  it('are found in files that nobody has opened', async () => {
    const problems = await problemsOf(workspaceUri('broken', 'half.tasks.jsonl'));
    assert.equal(problems.length, 1);
    assert.equal(problems[0]?.range.start.line, 1);
  });

  it('are none in the examples', async () => {
    await problemsOf(workspaceUri('broken', 'typo.task.json'));
    const files = await vscode.workspace.findFiles('examples/**/*.{json,jsonl,yaml}');
    assert.ok(files.length >= 6);
    for (const file of files) assert.deepEqual(vscode.languages.getDiagnostics(file), [], file.fsPath);
  });

  it('come and go with a folder that a task names beside its file', async () => {
    const uri = workspaceUri('projects', 'fix.task.json');
    const folder = workspaceUri('projects', 'inner', 'project');
    const gym = { type: 'coding', folder: 'inner/project' };
    const text = JSON.stringify({ id: 'fix', prompt: 'Mend it.', gym, evaluate: ['command_succeeds', 'true'] });
    await vscode.workspace.fs.writeFile(uri, Buffer.from(text));
    const [problem] = await problemsOf(uri);
    assert.match(problem?.message ?? '', /the folder “inner\/project” does not exist/);
    await vscode.workspace.fs.createDirectory(folder);
    await problemsOf(uri, (problems) => problems.length === 0);
    await vscode.workspace.fs.delete(workspaceUri('projects', 'inner'), { recursive: true });
    await problemsOf(uri, (problems) => problems.length === 1);
    await vscode.workspace.fs.delete(workspaceUri('projects'), { recursive: true });
  });

  it('follow the typing, and go when the word is mended', async () => {
    const uri = workspaceUri('broken', 'typo.task.json');
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    const [problem] = await problemsOf(uri);
    assert.ok(problem);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, problem.range, wordsAt(document, problem).replace('page_contain', 'page_contains'));
    await vscode.workspace.applyEdit(edit);
    await problemsOf(uri, (problems) => problems.length === 0);
    await vscode.commands.executeCommand('undo');
    await problemsOf(uri);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
});
