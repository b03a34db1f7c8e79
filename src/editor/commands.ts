import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { solutionPath } from '../runs/solutions/solution-file.ts';
import type { OwnTaskNode } from './authoring/copies.ts';
import { chooseRun, chooseTask, type Eligible, hasEnded, isReadable } from './choose.ts';
import { columnFor } from './columns.ts';
import type { LastTwo } from './compare/last-two.ts';
import { debugTask, replayRun } from './debug/configurations.ts';
import { jobCommands } from './jobs/commands.ts';
import type { JobPanels } from './jobs/job-panels.ts';
import type { Jobs } from './jobs/jobs.ts';
import { COMMAND } from './names.ts';
import { showError, showInformation, showWarning } from './notifications.ts';
import type { RunPanels } from './panel/panels.ts';
import type { RunPanel } from './panel/run-panel.ts';
import type { PlacementChoice } from './placement/choice.ts';
import { placementCommands } from './placement/commands.ts';
import type { EnvironmentsView } from './placement/environments.ts';
import type { WindowPlacements } from './placement/window-placements.ts';
import { report } from './report.ts';
import { rescoreCommands } from './rescore/commands.ts';
import type { RescorePanel } from './rescore/rescore-panel.ts';
import { MANUAL } from './runs/agents.ts';
import type { RunHistory } from './runs/history.ts';
import type { Runs } from './runs/runs.ts';
import { NOT_RUN } from './runs/verdict.ts';
import { isStaleNode } from './stale-node.ts';
import { taskAtCursor } from './tasks/at-cursor.ts';
import { EXAMPLE_FILES } from './tasks/example.ts';
import { findRow, type TaskReference, taskKey } from './tasks/reference.ts';
import type { TaskFiles } from './tasks/task-files.ts';
import type { TaskTree } from './tasks/tree.ts';
import type { TestView } from './testing/testing.ts';

/** The features that the commands use. */
export interface Features {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly files: TaskFiles;
  readonly runs: Runs;
  readonly history: RunHistory;
  readonly panels: RunPanels;
  readonly placements: WindowPlacements;
  readonly choice: PlacementChoice;
  readonly environments: EnvironmentsView;
  readonly jobs: Jobs;
  readonly jobPanels: JobPanels;
  readonly rescores: RescorePanel;
  readonly tests: TestView;
  readonly tree: TaskTree;
  readonly lastTwo: LastTwo;
}

/** `selected`: all selected nodes of a tree. */
type Command = (argument: unknown, selected?: unknown) => unknown;

/** Every command that package.json contributes. */
export function registerCommands(features: Features): vscode.Disposable {
  const { files, history, log, panels, runs, context, tree } = features;
  const canRun: Eligible = ({ row, key }) => row.task !== null && runs.activeOf(key) === undefined;
  const canHaveSolution: Eligible = ({ row }) => row.task !== null && solutionPath(row.task) !== null;
  const commands: Record<(typeof COMMAND)[keyof typeof COMMAND], Command> = {
    [COMMAND.run]: (argument) =>
      withTask(files, argument, l10n.t('Select a task to run'), (task) => runs.start(task), canRun),
    [COMMAND.runWith]: (argument) =>
      withTask(files, argument, l10n.t('Select a task to run'), (task) => runs.start(task, { ask: true }), canRun),
    [COMMAND.runManually]: (argument) =>
      withTask(
        files,
        argument,
        l10n.t('Select a task to run manually'),
        (task) => runs.start(task, { agent: MANUAL }),
        canRun,
      ),
    [COMMAND.debug]: (argument) => withTask(files, argument, l10n.t('Select a task to debug'), debugTask, canRun),
    [COMMAND.replay]: async (argument) =>
      replayRun(
        traceDirIn(argument) ??
          panels.current?.run?.traceDir ??
          (await chooseRun(history, l10n.t('Select a run to replay'), hasEnded)),
      ),
    [COMMAND.saveSolution]: (argument) => panels.saveSolution(traceDirIn(argument)),
    [COMMAND.stop]: (argument) => stop(runs, argument),
    [COMMAND.openTask]: (argument) =>
      withTask(files, argument, l10n.t('Select a task'), (task) => openTask(files, task)),
    [COMMAND.openSolution]: (argument) =>
      withTask(
        files,
        argument,
        l10n.t('Select a task to open its solution'),
        (task) => solution(files, task),
        canHaveSolution,
      ),
    [COMMAND.copyAddress]: (argument) =>
      withTask(files, argument, l10n.t('Select a task'), (task) => vscode.env.clipboard.writeText(taskKey(task))),
    [COMMAND.filterTasks]: async () => {
      const { askFilter } = await import('./tasks/filter-pick.ts');
      await askFilter(tree, (key) => (runs.verdict(key) ?? NOT_RUN).kind);
    },
    [COMMAND.clearFilter]: () => tree.setFilter(''),
    [COMMAND.refreshTasks]: () => files.refresh(),
    [COMMAND.newTask]: (argument) => newTask(files, argument),
    [COMMAND.duplicateTask]: (argument) =>
      withTask(
        files,
        argument,
        l10n.t('Select a task to duplicate'),
        async (task) => (await import('./authoring/copies.ts')).duplicateTask(files, task),
        isReadable,
      ),
    [COMMAND.deleteTask]: (argument) =>
      withTask(files, argument, l10n.t('Select a task to delete'), async (task) =>
        (await import('./authoring/copies.ts')).deleteTask(files, task),
      ),
    [COMMAND.copyOwnTask]: async (node) => {
      await (await import('./authoring/copies.ts')).copyOwnTask(files, node as OwnTaskNode);
    },
    [COMMAND.runOwnTask]: async (node) => {
      const copy = await (await import('./authoring/copies.ts')).copyOwnTask(files, node as OwnTaskNode);
      if (copy !== null) await runs.start(copy);
    },
    [COMMAND.newExample]: () => writeExample(),
    [COMMAND.openDocumentation]: (page) => openDocumentation(context.extensionUri, page),
    [COMMAND.showTasks]: () => vscode.commands.executeCommand('taskwright.tasks.focus'),
    [COMMAND.openRun]: (argument) => openRun(features, argument),
    [COMMAND.compareRuns]: (argument) => compareLastTwo(features, argument),
    [COMMAND.deleteRun]: (argument) => deleteRun(history, argument),
    [COMMAND.revealRun]: (argument) => revealRun(history, argument),
    [COMMAND.refreshRuns]: () => history.refresh(),
    [COMMAND.nextStep]: () => panels.current?.walk(1),
    [COMMAND.previousStep]: () => panels.current?.walk(-1),
    [COMMAND.rerun]: () => panels.current?.rerun(),
    [COMMAND.cancelShown]: () => panels.current?.cancel(),
    [COMMAND.pin]: () => panels.current?.pin(true),
    [COMMAND.unpin]: () => panels.current?.pin(false),
    [COMMAND.openTrace]: () => panels.current?.openTrace(),
    [COMMAND.importTrajectory]: async (argument) => {
      const { importTrajectory } = await import('./runs/trajectory-import.ts');
      await importTrajectory(argument instanceof vscode.Uri ? argument : undefined, panels);
    },
    [COMMAND.exportTrajectory]: async (argument) => {
      const { exportTrajectory } = await import('./runs/trajectory-export.ts');
      await exportTrajectory(traceDirIn(argument) ?? panels.current?.run?.traceDir ?? undefined);
    },
    [COMMAND.copyAction]: (argument) => copyAction(panels, argument),
    [COMMAND.openPage]: (argument) => openPage(features, argument),
    [COMMAND.showLog]: () => log.show(),
    [COMMAND.downloadBrowser]: () => downloadBrowser(context),
    [COMMAND.runIn]: (argument) =>
      withTask(files, argument, l10n.t('Select a task to run'), (task) => runTaskIn(features, task), canRun),
    ...placementCommands(features),
    ...jobCommands(features),
    ...rescoreCommands(features),
  };
  const registered = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(name, async (...args: unknown[]) => {
      try {
        if (isStaleNode(context.extension, name, args)) {
          void showInformation(l10n.t('The list was updated. Try again.'));
          return;
        }
        const [argument, selected] = args;
        await run(features.tests.referenceIn(argument) ?? argument, selected);
      } catch (error) {
        report(log, name, error);
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

/** Calls `act` with the task of the argument, otherwise of the cursor, otherwise with one that the user selects. */
async function withTask(
  files: TaskFiles,
  argument: unknown,
  question: string,
  act: (task: TaskReference) => unknown,
  eligible: Eligible = () => true,
): Promise<void> {
  const task = referenceIn(argument) ?? taskAtCursor(files) ?? (await chooseTask(files, question, eligible));
  if (task !== undefined) await act(task);
}

/** CodeLenses and links pass a reference, the tree passes a node. */
function referenceIn(argument: unknown): TaskReference | undefined {
  const value = isRecord(argument) && isRecord(argument['task']) ? argument['task'] : argument;
  if (!isRecord(value)) return undefined;
  const { file, index, name } = value;
  return typeof file === 'string' && typeof index === 'number' && typeof name === 'string'
    ? { file, index, name }
    : undefined;
}

async function openDocumentation(extension: vscode.Uri, page: unknown): Promise<void> {
  // A packaged extension has its README in lower case.
  const readme = (await vscode.workspace.fs.readDirectory(extension)).find(([name]) => /^readme\.md$/i.test(name));
  const name = page === 'functions' ? 'docs/functions.md' : readme?.[0];
  if (name === undefined) throw new Error(l10n.t('The documentation is missing. Reinstall the extension.'));
  await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.joinPath(extension, name));
}

/** A file or folder node of the tree, or a URI of the explorer, is the default location of the new task. */
async function newTask(files: TaskFiles, argument: unknown): Promise<void> {
  const { newTask: ask } = await import('./authoring/new-task.ts');
  if (argument instanceof vscode.Uri) await ask(files, argument.fsPath);
  else if (!isRecord(argument)) await ask(files);
  else {
    const { file, path } = argument;
    const nearPath = isRecord(file) ? file['file'] : path;
    await ask(files, typeof nearPath === 'string' ? nearPath : undefined);
  }
}

async function stop(runs: Runs, argument: unknown): Promise<void> {
  const reference = referenceIn(argument);
  if (reference !== undefined) {
    runs.activeOf(taskKey(reference))?.cancel();
    return;
  }
  const [onlyRun, ...others] = runs.active;
  if (onlyRun === undefined || others.length === 0) {
    onlyRun?.cancel();
    return;
  }
  const picked = await vscode.window.showQuickPick(
    runs.active.map((run) => ({ label: run.task.id ?? String(run.task.index), description: run.phase, run })),
    { placeHolder: l10n.t('Select a run to stop') },
  );
  picked?.run.cancel();
}

async function openTask(files: TaskFiles, reference: TaskReference): Promise<void> {
  const uri = vscode.Uri.file(reference.file);
  const known = files.get(uri) ?? (await files.read(uri));
  const start = known === undefined ? undefined : findRow(known.file.rows, reference)?.range.start;
  const at = new vscode.Position(start?.line ?? 0, start?.character ?? 0);
  const editor = await vscode.window.showTextDocument(uri, {
    viewColumn: columnFor(uri),
    selection: new vscode.Range(at, at),
  });
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function solution(files: TaskFiles, reference: TaskReference): Promise<void> {
  const known = await files.read(vscode.Uri.file(reference.file));
  const task = known === undefined ? undefined : findRow(known.file.rows, reference)?.task;
  if (task === undefined || task === null) {
    void showError(l10n.t('The task “{0}” cannot be read. Fix the errors in its file first.', reference.name));
    return;
  }
  const { openSolution } = await import('./runs/agent-pick.ts');
  await openSolution(task);
}

/** Runs a task where the user chooses, and stores that choice for the task. */
async function runTaskIn({ files, runs, choice, placements }: Features, reference: TaskReference): Promise<void> {
  const known = await files.read(vscode.Uri.file(reference.file));
  const task = known === undefined ? undefined : findRow(known.file.rows, reference)?.task;
  const { pickForTask } = await import('./placement/pick.ts');
  const placementTask = { ...reference, metadata: task?.metadata ?? {} };
  if (await pickForTask(placementTask, choice, () => placements.findDocker())) await runs.start(reference);
}

/** Opens the run of a folder, or the last run of a task. */
async function openRun({ history, panels, runs }: Features, argument: unknown): Promise<void> {
  const reference = referenceIn(argument);
  if (reference !== undefined) {
    const active = runs.activeOf(taskKey(reference));
    if (active !== undefined) {
      await panels.show(active);
      return;
    }
    await history.load();
  } else if (traceDirIn(argument) === undefined) {
    const chosen = await chooseRun(history, l10n.t('Select a run to open'));
    if (chosen !== undefined) await panels.openRecorded(chosen);
    return;
  }
  const dir = reference === undefined ? traceDirIn(argument) : history.latest(taskKey(reference))?.traceDir;
  if (dir !== undefined) await panels.openRecorded(dir);
  else void showInformation(l10n.t('No recorded run. Run the task first.'));
}

/** Compares a run of the Runs view with the run before it, or the last two runs of a task. */
async function compareLastTwo({ files, history, lastTwo }: Features, argument: unknown): Promise<void> {
  await history.load();
  const entry = history.entries.find(({ traceDir }) => traceDir === traceDirIn(argument));
  const show = async (key: string, traceDir?: string): Promise<void> => {
    const runs = traceDir === undefined ? lastTwo.of(key) : lastTwo.from(key, traceDir);
    if (runs !== undefined) await (await import('./compare/compare.ts')).compareRuns(...runs);
    else void showInformation(l10n.t('Nothing to compare. The task needs two runs with a reward.'));
  };
  if (entry === undefined) {
    const hasTwo: Eligible = ({ key }) => lastTwo.of(key) !== undefined;
    await withTask(files, argument, l10n.t('Select a task to compare its runs'), (task) => show(taskKey(task)), hasTwo);
  } else await show(`${entry.run.file}#${entry.run.task_id}`, entry.traceDir);
}

/** The step whose context menu was opened, otherwise the selected step. */
function stepIn(panel: RunPanel, argument: unknown): number | null {
  const index = isRecord(argument) ? argument['index'] : undefined;
  return typeof index === 'number' ? index : panel.selected;
}

async function copyAction(panels: RunPanels, argument: unknown): Promise<void> {
  const panel = panels.current;
  if (panel?.run === undefined) return;
  const { copiedAction } = await import('./panel/copy-action.ts');
  const text = await copiedAction(panel.run, stepIn(panel, argument));
  if (text === null) void showInformation(l10n.t('This step has no action.'));
  else await vscode.env.clipboard.writeText(text);
}

/** Opens the page of the run in the active panel, otherwise the current page or start page of a task. */
async function openPage({ files, panels, runs }: Features, argument: unknown): Promise<void> {
  const { openInBrowser, pageOfRun } = await import('./open-page/open-page.ts');
  const { startAddress, startPage } = await import('./open-page/real-page.ts');
  const panel = panels.current;
  // The title menu of the panel passes a URI, its context menu an object with the data of the clicked element.
  const ofPanel = argument instanceof vscode.Uri || (isRecord(argument) && 'webview' in argument);
  const inPanel = argument === undefined || ofPanel;
  if (inPanel && panel?.active === true && panel.run !== undefined) {
    await openInBrowser(await pageOfRun(panel.run, stepIn(panel, argument)));
    return;
  }
  const open = async (reference: TaskReference): Promise<void> => {
    const active = runs.activeOf(taskKey(reference));
    if (active !== undefined) return await openInBrowser(await pageOfRun(active, null));
    const known = await files.read(vscode.Uri.file(reference.file));
    const task = known === undefined ? undefined : findRow(known.file.rows, reference)?.task;
    if (task) await openInBrowser(await startPage(task));
    else {
      void showError(l10n.t('The task “{0}” cannot be read. Fix the errors in its file first.', reference.name));
    }
  };
  const hasPage: Eligible = ({ row, key }) =>
    row.task !== null && (runs.activeOf(key) !== undefined || startAddress(row.task) !== null);
  await withTask(files, argument, l10n.t('Select a task to open its page'), open, hasPage);
}

function traceDirIn(argument: unknown): string | undefined {
  const dir = isRecord(argument) ? argument['traceDir'] : undefined;
  return typeof dir === 'string' ? dir : undefined;
}

async function deleteRun(history: RunHistory, argument: unknown): Promise<void> {
  const dir = traceDirIn(argument) ?? (await chooseRun(history, l10n.t('Select a run to delete'), hasEnded));
  const entry = history.entries.find(({ traceDir }) => traceDir === dir);
  if (dir === undefined || entry === undefined) return;
  const confirm = l10n.t('Move to Trash');
  const choice = await showWarning(
    l10n.t('Delete this run of “{0}”?', entry.run.task_id),
    { modal: true, detail: l10n.t('Its trace and screenshots are moved to the trash.') },
    confirm,
  );
  if (choice !== confirm) return;
  const { deleteRun: remove } = await import('../runs/store/store.ts');
  await remove(dir, toTrash);
  history.refresh();
}

async function toTrash(folder: string): Promise<void> {
  const uri = vscode.Uri.file(folder);
  try {
    await vscode.workspace.fs.delete(uri, { recursive: true, useTrash: true });
  } catch {
    // The user has confirmed, and some machines have no trash.
    await vscode.workspace.fs.delete(uri, { recursive: true, useTrash: false });
  }
}

async function revealRun(history: RunHistory, argument: unknown): Promise<void> {
  const dir = traceDirIn(argument) ?? (await chooseRun(history, l10n.t('Select a run to reveal its folder')));
  if (dir === undefined) return;
  const uri = vscode.Uri.file(dir);
  // A remote machine has no file manager to open.
  await vscode.commands.executeCommand(
    vscode.env.remoteName === undefined ? 'revealFileInOS' : 'revealInExplorer',
    uri,
  );
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
  const task = vscode.Uri.file(join(base, 'order.task.json'));
  await vscode.window.showTextDocument(task, { viewColumn: columnFor(task) });
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
