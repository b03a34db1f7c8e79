import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { workspaceUri } from '../workspace.ts';

describe('an entry of a task’s menu', () => {
  after(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('does nothing to the task at the cursor where the tree no longer knows whose menu it was', async () => {
    const document = await vscode.workspace.openTextDocument(workspaceUri('examples', 'login', 'login.taskset.json'));
    const before = document.getText();
    const inTask = document.positionAt(before.indexOf('"log-in"'));
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(inTask, inTask) });
    // VS Code calls with undefined for a node that was drawn anew; without a node it calls with nothing.
    await vscode.commands.executeCommand('taskwright.duplicateTask', undefined);
    assert.equal(document.getText(), before);
    await vscode.commands.executeCommand('taskwright.duplicateTask');
    assert.match(document.getText(), /"log-in-2"/);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    assert.equal(document.getText(), before);
  });
});
