import * as vscode from 'vscode';
import { DEBUG_TYPE } from '../names.ts';
import { taskAtCursor } from '../tasks/at-cursor.ts';
import { type TaskReference, taskKey } from '../tasks/reference.ts';
import type { TaskFiles } from '../tasks/task-files.ts';

/** Tells the sessions of test runs apart. */
let asked = 0;

/** Debugs a task as a configuration without a file would. */
export async function debugTask(task: TaskReference): Promise<void> {
  await vscode.debug.startDebugging(folderOf(task.file), configurationFor(task));
}

/** The same as a part of a test run. Resolves when it is over; false where it could not begin. */
export async function debugAsTest(task: TaskReference, testRun: vscode.TestRun): Promise<boolean> {
  const over = Promise.withResolvers<void>();
  asked += 1;
  const configuration = { ...configurationFor(task), asked };
  const isOurs = (session: vscode.DebugSession): boolean => session.configuration['asked'] === configuration.asked;
  const listening = [
    vscode.debug.onDidTerminateDebugSession((session) => isOurs(session) && over.resolve()),
    // The Stop of the Testing view is not the debugger's.
    testRun.token.onCancellationRequested(() => {
      const session = vscode.debug.activeDebugSession;
      if (session !== undefined && isOurs(session)) void vscode.debug.stopDebugging(session);
    }),
  ];
  try {
    if (!(await vscode.debug.startDebugging(folderOf(task.file), configuration, { testRun }))) return false;
    await over.promise;
    return true;
  } finally {
    for (const one of listening) one.dispose();
  }
}

/** Steps along a recorded run. */
export async function replayRun(traceDir: string | undefined): Promise<void> {
  if (traceDir === undefined) {
    void vscode.window.showInformationMessage('Open a recorded run first, or choose one in the Runs view.');
    return;
  }
  const configuration = { type: DEBUG_TYPE, request: 'launch', name: 'Replay', run: traceDir };
  await vscode.debug.startDebugging(folderOf(traceDir), configuration);
}

/** What F5 debugs where there is no launch.json: the task at the cursor. */
export class DebugConfigurations implements vscode.DebugConfigurationProvider {
  readonly #files: TaskFiles;

  constructor(files: TaskFiles) {
    this.#files = files;
  }

  provideDebugConfigurations(): vscode.DebugConfiguration[] {
    const task = taskAtCursor(this.#files);
    return task === undefined ? [] : [configurationFor(task)];
  }

  async resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: Partial<vscode.DebugConfiguration>,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const { type, request, name, ...rest } = configuration;
    if (type !== undefined && request !== undefined) return { ...rest, type, request, name: name ?? 'Taskwright' };
    const editor = vscode.window.activeTextEditor;
    // F5 may be what wakes the extension.
    if (editor !== undefined) await this.#files.read(editor.document.uri);
    const task = taskAtCursor(this.#files);
    if (task !== undefined) return { ...rest, ...configurationFor(task) };
    void vscode.window.showInformationMessage('Put the cursor into a task to debug it, or add a launch.json.');
    return undefined;
  }
}

function configurationFor(task: TaskReference): vscode.DebugConfiguration {
  return { type: DEBUG_TYPE, request: 'launch', name: `Debug ${task.name}`, task: taskKey(task) };
}

function folderOf(path: string): vscode.WorkspaceFolder | undefined {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path));
}
