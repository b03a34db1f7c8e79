import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, recordedRuns, workspaceUri } from '../workspace.ts';

/** Ids of the tests that stand in a file, each from the controller down to the test. */
const testsIn = (uri: vscode.Uri): Thenable<string[][]> =>
  vscode.commands.executeCommand<string[][]>('vscode.testing.getTestsInFile', uri);

const run = (ids: readonly (readonly string[])[]): Thenable<unknown> =>
  // 2: what VS Code calls the group of Run profiles.
  vscode.commands.executeCommand('vscode.runTestsById', 2, ...ids.map((id) => id.join('\0')));

const named = (ids: readonly string[][], name: string): string[] | undefined =>
  ids.find((id) => id.at(-1)?.endsWith(`#${name}`));

const runsOf = (name: string): number => recordedRuns().filter(({ task_id }) => task_id === name).length;

describe('the Testing view', () => {
  after(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  const capitals = workspaceUri('examples', 'capitals', 'capitals.tasks.jsonl');

  it('has the tasks of a file that is open, below its folders', async () => {
    await vscode.window.showTextDocument(capitals);
    const ids = await eventually(async () => {
      const found = await testsIn(capitals);
      return named(found, 'capital-of-france') === undefined ? undefined : found;
    });
    const task = named(ids, 'capital-of-france');
    assert.equal(task?.[0], 'taskwright');
    assert.ok((task?.length ?? 0) >= 3, `${task?.join(' > ')}`);
  });

  it('runs tasks that are asked for there, with their solutions', async () => {
    const before = runsOf('capital-of-france');
    const task = named(await testsIn(capitals), 'capital-of-france');
    assert.ok(task);
    await run([task]);
    await eventually(() => (runsOf('capital-of-france') > before ? true : undefined));
  });

  it('follows the file: a task that is written in appears, one that is taken out goes', async () => {
    const document = await vscode.workspace.openTextDocument(capitals);
    await vscode.window.showTextDocument(document);
    const edit = new vscode.WorkspaceEdit();
    const row = { id: 'capital-of-nowhere', prompt: 'Say: nothing.', gym: 'qa', evaluate: ['response_is', 'nothing'] };
    edit.insert(capitals, new vscode.Position(0, 0), `${JSON.stringify(row)}\n`);
    assert.ok(await vscode.workspace.applyEdit(edit));
    await eventually(async () => named(await testsIn(capitals), 'capital-of-nowhere'));
    const back = new vscode.WorkspaceEdit();
    back.delete(capitals, new vscode.Range(0, 0, 1, 0));
    assert.ok(await vscode.workspace.applyEdit(back));
    await document.save();
    await eventually(async () =>
      named(await testsIn(capitals), 'capital-of-nowhere') === undefined ? true : undefined,
    );
  });

  it('shows the tasks of a file with thousands of them in ranges, which are empty until they are opened', async function () {
    this.timeout(120_000);
    const uri = workspaceUri('large', 'thousands.tasks.jsonl');
    const rows = Array.from({ length: 10_000 }, (_, index) =>
      JSON.stringify({ id: `t${index}`, prompt: 'Say yes.', gym: 'qa', evaluate: ['response_is', 'yes'] }),
    );
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(rows.join('\n')));
    try {
      await vscode.commands.executeCommand('taskwright.refreshTasks');
      await vscode.window.showTextDocument(uri);
      const folder = await eventually(async () => (await testsIn(workspaceUri('large')))[0]);
      assert.ok(folder.length >= 2);
      assert.deepEqual(
        await testsIn(uri),
        [],
        'VS Code, which opens what stands in a file, has found none of its tasks',
      );
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await vscode.workspace.fs.delete(workspaceUri('large'), { recursive: true });
    }
  });
});
