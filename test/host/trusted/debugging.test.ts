import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { eventually, recordedRuns, workspacePath, workspaceUri } from '../workspace.ts';

const TASK = `{
  "id": "debugged",
  "prompt": "Say hello.",
  "gym": "qa",
  "evaluate": [
    {"function": "response_is", "args": ["Hallo"]}
  ]
}
`;

interface Frame {
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

describe('debugging a task', () => {
  const uri = () => workspaceUri('debugged.task.json');
  const atCall = () => new vscode.SourceBreakpoint(new vscode.Location(uri(), new vscode.Position(5, 6)));
  let breakpoint: vscode.SourceBreakpoint | undefined;

  before(() => {
    writeFileSync(workspacePath('debugged.task.json'), TASK);
    writeFileSync(workspacePath('debugged.actions'), "response('Hello')\n");
  });
  afterEach(async () => {
    if (breakpoint !== undefined) vscode.debug.removeBreakpoints([breakpoint]);
    await vscode.debug.stopDebugging();
  });

  const stopped = () =>
    eventually(async () => {
      const session = vscode.debug.activeDebugSession;
      if (session?.type !== 'taskwright' || !(vscode.debug.activeStackItem instanceof vscode.DebugStackFrame)) return;
      const { stackFrames } = (await session.customRequest('stackTrace', { threadId: 1 })) as { stackFrames: Frame[] };
      return { session, stackFrames };
    });

  it('stops at a breakpoint in the task file, and is right with another argument that is not saved', async () => {
    breakpoint = atCall();
    vscode.debug.addBreakpoints([breakpoint]);
    const document = await vscode.workspace.openTextDocument(uri());
    await vscode.window.showTextDocument(document);
    const launch = { type: 'taskwright', request: 'launch', name: 'Debug', task: `${uri().fsPath}#debugged` };
    assert.ok(await vscode.debug.startDebugging(undefined, launch));
    const { session, stackFrames } = await stopped();
    assert.deepEqual(
      stackFrames.map(({ name }) => name),
      ['response_is("Hallo")', "step 1: response('Hello')", 'debugged (debugged.task.json)'],
    );
    assert.deepEqual([stackFrames[0]?.line, stackFrames[0]?.column], [6, 5]);
    const asked = await session.customRequest('evaluate', { expression: 'response_is("Hello")', context: 'repl' });
    assert.match((asked as { result: string }).result, /^1 /);

    const edit = new vscode.WorkspaceEdit();
    const at = document.lineAt(5).text.indexOf('Hallo');
    edit.replace(uri(), new vscode.Range(5, at, 5, at + 'Hallo'.length), 'Hello');
    assert.ok(await vscode.workspace.applyEdit(edit));
    await session.customRequest('restartFrame', { frameId: 1 });
    await eventually(async () => {
      const { stackFrames: frames } = await stopped();
      return frames[0]?.name === 'response_is("Hello") → 1' || undefined;
    });
    await session.customRequest('continue', { threadId: 1 });
    const run = await eventually(() => recordedRuns().find(({ task_id }) => task_id === 'debugged'));
    assert.equal(run.reward, 1);
  }).timeout(60_000);
});
