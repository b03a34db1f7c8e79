import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import * as vscode from 'vscode';
import { eventually, extension, problemsOf, workspacePath, workspaceUri } from '../workspace.ts';

describe('in a folder that is not trusted', () => {
  it('the extension is awake', async () => {
    assert.equal(vscode.workspace.isTrusted, false);
    await eventually(() => extension().isActive || undefined);
  });

  it('tasks are read and checked', async () => {
    const [problem] = await problemsOf(workspaceUri('broken', 'typo.task.json'));
    assert.match(problem?.message ?? '', /page_contains/);
  });

  it('nothing runs: no process, no trace', async () => {
    // The question whether to trust the folder stays open, as nobody answers it.
    void vscode.commands.executeCommand('taskwright.runTask', {
      file: workspacePath('examples', 'capitals', 'capitals.tasks.jsonl'),
      index: 0,
      name: 'capital-of-france',
    });
    await vscode.commands.executeCommand('taskwright.serveTasks', workspaceUri('examples', 'capitals'));
    // A command that is carried out after ours has been begun.
    await vscode.commands.executeCommand('taskwright.refreshTasks');
    const input = { address: 'examples/capitals/capitals.tasks.jsonl#capital-of-france' };
    await assert.rejects(
      async () => await vscode.lm.invokeTool('taskwright_run_task', { input, toolInvocationToken: undefined }),
      /Trust the workspace first/,
    );
    assert.ok(!readdirSync(workspacePath()).includes('.taskwright'));
    assert.equal(vscode.workspace.isTrusted, false);
  });
});
