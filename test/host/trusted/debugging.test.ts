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
    // It resolves before the session has ended, and a second one of a name would be given another.
    await eventually(() => (vscode.debug.activeDebugSession === undefined ? true : undefined));
  });

  const runsOfIt = () => recordedRuns().filter(({ task_id }) => task_id === 'debugged').length;

  /** Where the session of that name stands, once it does. */
  const stopped = (name: string) =>
    eventually(async () => {
      const session = vscode.debug.activeDebugSession;
      if (session?.name !== name || !(vscode.debug.activeStackItem instanceof vscode.DebugStackFrame)) return;
      // The editor may still show the frame of a run that goes on by now.
      const asked = session.customRequest('stackTrace', { threadId: 1 });
      const stack = await asked.then(
        (body) => body as { stackFrames: Frame[] },
        () => undefined,
      );
      return stack && { session, stackFrames: stack.stackFrames };
    });

  /** The titles of the lenses above the task. */
  const lensTitles = async (): Promise<string[]> => {
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri(), 10);
    return lenses.map(({ command }) => command?.title ?? '');
  };

  it('stops at a breakpoint in the task file, and is right with another argument that is not saved', async () => {
    breakpoint = atCall();
    vscode.debug.addBreakpoints([breakpoint]);
    const document = await vscode.workspace.openTextDocument(uri());
    await vscode.window.showTextDocument(document);
    const launch = { type: 'taskwright', request: 'launch', name: 'Debug', task: `${uri().fsPath}#debugged` };
    const jobs = vscode.workspace.getConfiguration('taskwright.jobs');
    await jobs.update('seed', 7, vscode.ConfigurationTarget.Workspace);
    assert.ok(await vscode.debug.startDebugging(undefined, launch));
    const { session, stackFrames } = await stopped('Debug');
    assert.deepEqual(
      stackFrames.map(({ name }) => name),
      ['response_is("Hallo")', "step 1: response('Hello')", 'debugged (debugged.task.json)'],
    );
    assert.deepEqual([stackFrames[0]?.line, stackFrames[0]?.column], [6, 5]);
    const asked = await session.customRequest('evaluate', { expression: 'response_is("Hello")', context: 'repl' });
    assert.match((asked as { result: string }).result, /^1 /);
    await eventually(async () => ((await lensTitles()).some((title) => title.includes('paused')) ? true : undefined));

    const edit = new vscode.WorkspaceEdit();
    const at = document.lineAt(5).text.indexOf('Hallo');
    edit.replace(uri(), new vscode.Range(5, at, 5, at + 'Hallo'.length), 'Hello');
    assert.ok(await vscode.workspace.applyEdit(edit));
    await session.customRequest('restartFrame', { frameId: 1 });
    await eventually(async () => {
      const { stackFrames: frames } = await stopped('Debug');
      return frames[0]?.name === 'response_is("Hello") → 1' || undefined;
    });
    await session.customRequest('continue', { threadId: 1 });
    const run = await eventually(() => recordedRuns().find(({ task_id }) => task_id === 'debugged'));
    assert.deepEqual([run.reward, run.seed], [1, 7]);
    await jobs.update('seed', undefined, vscode.ConfigurationTarget.Workspace);
    await eventually(async () => ((await lensTitles()).some((title) => title.includes('paused')) ? undefined : true));
  }).timeout(60_000);

  it('begins from the lens above the task', async () => {
    breakpoint = atCall();
    vscode.debug.addBreakpoints([breakpoint]);
    await vscode.window.showTextDocument(uri());
    const lens = await eventually(async () => {
      const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        uri(),
        10,
      );
      return found.find(({ command }) => command?.title.includes('Debug'))?.command;
    });
    await vscode.commands.executeCommand(lens.command, ...(lens.arguments ?? []));
    const { stackFrames } = await stopped('Debug debugged');
    assert.match(stackFrames[0]?.name ?? '', /^response_is/);
  }).timeout(60_000);

  it('begins from the Testing view, and is its result', async () => {
    breakpoint = atCall();
    vscode.debug.addBreakpoints([breakpoint]);
    await vscode.window.showTextDocument(uri());
    const test = await eventually(async () =>
      (await vscode.commands.executeCommand<string[][]>('vscode.testing.getTestsInFile', uri())).find((id) =>
        id.at(-1)?.endsWith('#debugged'),
      ),
    );
    const before = runsOfIt();
    // 4: what VS Code calls the group of Debug profiles. Resolves when the results are there.
    const tested = vscode.commands.executeCommand('vscode.runTestsById', 4, test.join('\0'));
    const { session } = await stopped('Debug debugged');
    assert.equal(typeof session.configuration['asked'], 'number');
    await session.customRequest('continue', { threadId: 1 });
    await tested;
    assert.equal(runsOfIt(), before + 1);
  }).timeout(60_000);

  it('goes along a recorded run that the Runs view hands over', async () => {
    const traceDir = await eventually(() => recordedRuns().find(({ task_id }) => task_id === 'debugged')?.trace_dir);
    // No panel shows a run that it could mean instead.
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('taskwright.replayRun', { traceDir });
    const { session } = await stopped('Replay');
    await session.customRequest('next', { threadId: 1 });
    await eventually(async () => {
      const { stackFrames } = await stopped('Replay');
      return stackFrames[0]?.name === "step 1: response('Hello')" || undefined;
    });
  }).timeout(60_000);
});
