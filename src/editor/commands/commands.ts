import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { NOT_RUN } from '../../presentation/runs/verdict.ts';
import { findRow, type TaskReference } from '../../presentation/tasks/reference.ts';
import { solutionPath } from '../../runs/solutions/solution-file.ts';
import type { OwnTaskNode } from '../authoring/copies.ts';
import { showFile } from '../columns.ts';
import { debugTask } from '../debug/configurations.ts';
import { COMMAND, type CommandId } from '../names.ts';
import { showError, showInformation } from '../notifications.ts';
import { report } from '../report.ts';
import { MANUAL } from '../runs/agents.ts';
import { EXAMPLE_FILES } from '../tasks/example.ts';
import { addressOfTask, readTask, unreadableTask } from '../tasks/read-task.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { type Command, pathIn, withTask } from './arguments.ts';
import { type Eligible, isReadable } from './choose.ts';
import { placementCommands } from './environments.ts';
import type { Features } from './features.ts';
import { jobCommands } from './jobs.ts';
import { rescoreCommands } from './rescoring.ts';
import { runCommands } from './runs.ts';
import { servingCommands } from './serving.ts';
import { isStaleNode } from './stale-node.ts';

/** Every command that package.json contributes. */
export function registerCommands(features: Features): vscode.Disposable {
  const { files, log, runs, context, tree } = features;
  const canRun: Eligible = ({ row, key }) => row.task !== null && runs.activeOf(key) === undefined;
  const canHaveSolution: Eligible = ({ row }) => row.task !== null && solutionPath(row.task) !== null;
  /** A command for a task. */
  const ofTask =
    (question: string, act: (task: TaskReference) => unknown, eligible?: Eligible): Command =>
    (argument) =>
      withTask(files, argument, question, act, eligible);
  const commands: Record<CommandId, Command> = {
    [COMMAND.run]: ofTask(l10n.t('Select a task to run'), (task) => runs.start(task), canRun),
    [COMMAND.runWith]: ofTask(l10n.t('Select a task to run'), (task) => runs.start(task, { ask: true }), canRun),
    [COMMAND.runManually]: ofTask(
      l10n.t('Select a task to run manually'),
      (task) => runs.start(task, { agent: MANUAL }),
      canRun,
    ),
    [COMMAND.runIn]: ofTask(l10n.t('Select a task to run'), (task) => runTaskIn(features, task), canRun),
    [COMMAND.debug]: ofTask(l10n.t('Select a task to debug'), (task) => debugTask(files, task), canRun),
    [COMMAND.openTask]: ofTask(l10n.t('Select a task'), (task) => openTask(files, task)),
    [COMMAND.openSolution]: ofTask(
      l10n.t('Select a task to open its solution'),
      (task) => openSolutionOf(files, task),
      canHaveSolution,
    ),
    [COMMAND.copyAddress]: ofTask(l10n.t('Select a task'), async (task) =>
      vscode.env.clipboard.writeText(await addressOfTask(files, task)),
    ),
    [COMMAND.filterTasks]: async () => {
      const { askFilter } = await import('../task-tree/filter-pick.ts');
      await askFilter(tree, (key) => (runs.verdict(key) ?? NOT_RUN).kind);
    },
    [COMMAND.clearFilter]: () => tree.setFilter(''),
    [COMMAND.refreshTasks]: () => files.refresh(),
    [COMMAND.newTask]: (argument) => newTask(files, argument),
    [COMMAND.duplicateTask]: ofTask(
      l10n.t('Select a task to duplicate'),
      async (task) => (await import('../authoring/copies.ts')).duplicateTask(files, task),
      isReadable,
    ),
    [COMMAND.deleteTask]: ofTask(l10n.t('Select a task to delete'), async (task) =>
      (await import('../authoring/copies.ts')).deleteTask(files, task),
    ),
    [COMMAND.copyOwnTask]: async (node) =>
      (await import('../authoring/copies.ts')).copyOwnTask(files, node as OwnTaskNode),
    [COMMAND.newExample]: () => writeExample(),
    [COMMAND.openDocumentation]: (page) => openDocumentation(context.extensionUri, page),
    [COMMAND.showTasks]: () => vscode.commands.executeCommand('taskwright.tasks.focus'),
    [COMMAND.showLog]: () => log.show(),
    [COMMAND.downloadBrowser]: () => downloadBrowser(context),
    ...runCommands(features),
    ...placementCommands(features),
    ...servingCommands(features),
    ...jobCommands(features),
    ...rescoreCommands(features),
  };
  const registrations = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(name, async (...args: unknown[]) => {
      try {
        if (isStaleNode(context.extension, name, args)) {
          void showInformation(l10n.t('The list was updated. Try again.'));
          return;
        }
        const [argument, selection] = args;
        await run(features.tests.referenceIn(argument) ?? argument, selection);
      } catch (error) {
        report(log, name, error);
      }
    }),
  );
  return vscode.Disposable.from(...registrations);
}

/** Pages of the documentation beside the README. */
const DOCUMENTS: readonly string[] = ['functions', 'hud'];

async function openDocumentation(extension: vscode.Uri, page: unknown): Promise<void> {
  // A packaged extension has its README in lower case.
  const readme = (await vscode.workspace.fs.readDirectory(extension)).find(([name]) => /^readme\.md$/i.test(name));
  const name = DOCUMENTS.find((one) => one === page) === undefined ? readme?.[0] : `docs/${page}.md`;
  if (name === undefined) throw new Error(l10n.t('The documentation is missing. Reinstall the extension.'));
  await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.joinPath(extension, name));
}

/** A file or folder node of the tree, or a URI of the explorer, is the default location of the new task. */
async function newTask(files: TaskFiles, argument: unknown): Promise<void> {
  const { newTask: ask } = await import('../authoring/new-task.ts');
  await ask(files, argument instanceof vscode.Uri ? argument.fsPath : pathIn(argument));
}

async function openTask(files: TaskFiles, reference: TaskReference): Promise<void> {
  const uri = vscode.Uri.file(reference.file);
  const knownFile = files.get(uri) ?? (await files.read(uri));
  const start = knownFile === undefined ? undefined : findRow(knownFile.file.rows, reference)?.range.start;
  const at = new vscode.Position(start?.line ?? 0, start?.character ?? 0);
  const editor = await showFile(uri, { selection: new vscode.Range(at, at) });
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function openSolutionOf(files: TaskFiles, reference: TaskReference): Promise<void> {
  const task = await readTask(files, reference);
  if (task === undefined) {
    void showError(unreadableTask(reference.name));
    return;
  }
  const { openSolution } = await import('../runs/agent-pick.ts');
  await openSolution(task);
}

/** Runs a task where the user chooses, and stores that choice for the task. */
async function runTaskIn({ files, runs, choice, placements }: Features, reference: TaskReference): Promise<void> {
  const task = await readTask(files, reference);
  const { pickForTask } = await import('../placement/pick.ts');
  const placementTask = { ...reference, metadata: task?.metadata ?? {} };
  if (await pickForTask(placementTask, choice, placements)) await runs.start(reference);
}

/** Writes an example task with its page and solution, and opens it. */
async function writeExample(): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0];
  if (folder === undefined) return;
  const base = join(folder.uri.fsPath, 'example');
  await vscode.workspace.fs.createDirectory(vscode.Uri.file(base));
  for (const [name, text] of Object.entries(EXAMPLE_FILES)) {
    try {
      await writeFile(join(base, name), text, { flag: 'wx' });
    } catch (error) {
      // Never overwrite a user's file.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  await showFile(vscode.Uri.file(join(base, 'order.task.json')));
}

/** Downloads Playwright's Chromium, in a terminal that shows the progress. */
function downloadBrowser(context: vscode.ExtensionContext): void {
  const program = join(dirname(require.resolve('playwright-core/package.json')), 'cli.js');
  const terminal = vscode.window.createTerminal({
    name: l10n.t('Download Browser'),
    shellPath: process.execPath,
    shellArgs: [program, 'install', 'chromium'],
    env: { ELECTRON_RUN_AS_NODE: '1' },
    iconPath: vscode.Uri.joinPath(context.extensionUri, 'media', 'taskwright.svg'),
  });
  terminal.show();
}
