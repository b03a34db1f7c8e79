import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TaskReference } from '../../presentation/tasks/reference.ts';
import { DEBUG_TYPE } from '../names.ts';
import { showInformation } from '../notifications.ts';
import { addressOfTask } from '../tasks/read-task.ts';
import { taskAtCursor } from '../tasks/task-at-cursor.ts';
import type { TaskFiles } from '../tasks/task-files.ts';

/** Identifies the sessions of test runs. */
let testRunId = 0;

/** Debugs a task without a launch configuration. */
export async function debugTask(files: Pick<TaskFiles, 'read'>, task: TaskReference): Promise<void> {
  await vscode.debug.startDebugging(folderOf(task.file), await configurationFor(files, task));
}

/** Debugs a task as a part of a test run. Resolves at its end; false if it did not start. */
export async function debugAsTest(
  files: Pick<TaskFiles, 'read'>,
  task: TaskReference,
  testRun: vscode.TestRun,
): Promise<boolean> {
  const end = Promise.withResolvers<void>();
  testRunId += 1;
  const configuration = { ...(await configurationFor(files, task)), asked: testRunId };
  const isOwnSession = (session: vscode.DebugSession): boolean =>
    session.configuration['asked'] === configuration.asked;
  const listening = [
    vscode.debug.onDidTerminateDebugSession((session) => isOwnSession(session) && end.resolve()),
    // The stop button of the Testing view does not stop the debugger.
    testRun.token.onCancellationRequested(() => {
      const session = vscode.debug.activeDebugSession;
      if (session !== undefined && isOwnSession(session)) void vscode.debug.stopDebugging(session);
    }),
  ];
  try {
    if (!(await vscode.debug.startDebugging(folderOf(task.file), configuration, { testRun }))) return false;
    await end.promise;
    return true;
  } finally {
    for (const disposable of listening) disposable.dispose();
  }
}

/** Starts a replay of a recorded run in the debugger. */
export async function replayRun(traceDir: string | undefined): Promise<void> {
  if (traceDir === undefined) return;
  const configuration = { type: DEBUG_TYPE, request: 'launch', name: l10n.t('Replay'), run: traceDir };
  await vscode.debug.startDebugging(folderOf(traceDir), configuration);
}

/** Without a launch.json, F5 debugs the task at the cursor. */
export function debugConfigurations(files: TaskFiles) {
  return {
    async provideDebugConfigurations(): Promise<vscode.DebugConfiguration[]> {
      const task = taskAtCursor(files);
      return task === undefined ? [] : [await configurationFor(files, task)];
    },

    async resolveDebugConfiguration(_folder, configuration: Partial<vscode.DebugConfiguration>) {
      const { type, request, name, ...options } = configuration;
      if (type !== undefined && request !== undefined) return { ...options, type, request, name: name ?? 'Taskwright' };
      const editor = vscode.window.activeTextEditor;
      // F5 may have activated the extension, so the file may not have been read.
      if (editor !== undefined) await files.read(editor.document.uri);
      const task = taskAtCursor(files);
      if (task !== undefined) return { ...options, ...(await configurationFor(files, task)) };
      void showInformation(l10n.t('Place the cursor in a task to debug it, or add a launch.json.'));
      return undefined;
    },
  } satisfies vscode.DebugConfigurationProvider;
}

async function configurationFor(
  files: Pick<TaskFiles, 'read'>,
  task: TaskReference,
): Promise<vscode.DebugConfiguration> {
  const address = await addressOfTask(files, task);
  return { type: DEBUG_TYPE, request: 'launch', name: l10n.t('Debug {0}', task.name), task: address };
}

function folderOf(path: string): vscode.WorkspaceFolder | undefined {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path));
}

/** The folder against which relative paths of a configuration are resolved. */
export function folderPath(folder: vscode.WorkspaceFolder | undefined): string {
  return (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath ?? process.cwd();
}
