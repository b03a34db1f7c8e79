import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type TaskReference, taskKey, taskKeyOfRun } from '../../presentation/tasks/reference.ts';
import { replayRun } from '../debug/configurations.ts';
import { COMMAND } from '../names.ts';
import { confirm, showError, showInformation, showWarning } from '../notifications.ts';
import type { RunPanels } from '../panel/panels.ts';
import type { RunPanel } from '../panel/run-panel.ts';
import type { RunHistory } from '../runs/history.ts';
import type { Runs } from '../runs/runs.ts';
import { readTask, unreadableTask } from '../tasks/read-task.ts';
import { moveToTrash } from '../trash.ts';
import { type Commands, isRecord, referenceIn, traceDirIn, withTask } from './arguments.ts';
import { chooseLiveRun, chooseRun, type Eligible, hasEnded } from './choose.ts';
import type { Features } from './features.ts';

/** Commands for runs, in progress or recorded, and for the run panel. */
export function runCommands(features: Features) {
  const { runs, history, panels } = features;
  return {
    [COMMAND.replay]: async (argument) =>
      replayRun(
        traceDirIn(argument) ??
          panels.current?.run?.traceDir ??
          (await chooseRun(history, l10n.t('Select a run to replay'), hasEnded)),
      ),
    [COMMAND.saveSolution]: (argument) => panels.saveSolution(traceDirIn(argument)),
    [COMMAND.stop]: (argument) => stop(runs, argument),
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
    [COMMAND.keep]: (argument) => keepRun(features, argument, true),
    [COMMAND.stopKeeping]: (argument) => keepRun(features, argument, false),
    [COMMAND.openTrace]: () => panels.current?.openTrace(),
    [COMMAND.importTrajectory]: async (argument) => {
      const { importTrajectory } = await import('../runs/trajectory-import.ts');
      await importTrajectory(argument instanceof vscode.Uri ? argument : undefined, (traceDir) =>
        panels.openRecorded(traceDir),
      );
    },
    [COMMAND.exportTrajectory]: async (argument) => {
      const { exportTrajectory } = await import('../runs/trajectory-export.ts');
      await exportTrajectory(traceDirIn(argument) ?? panels.current?.run?.traceDir ?? undefined);
    },
    [COMMAND.copyAction]: (argument) => copyAction(panels, argument),
    [COMMAND.openPage]: (argument) => openPage(features, argument),
  } satisfies Commands;
}

async function stop(runs: Runs, argument: unknown): Promise<void> {
  const reference = referenceIn(argument);
  const run =
    reference === undefined
      ? await chooseLiveRun(runs.active, l10n.t('Select a run to stop'))
      : runs.activeOf(taskKey(reference));
  run?.cancel();
}

/** Opens the run of a folder, or the last run of a task. */
async function openRun({ history, panels, runs }: Features, argument: unknown): Promise<void> {
  const reference = referenceIn(argument);
  if (reference === undefined) {
    const dir = traceDirIn(argument) ?? (await chooseRun(history, l10n.t('Select a run to open')));
    if (dir !== undefined) await panels.openRecorded(dir);
    return;
  }
  const key = taskKey(reference);
  const active = runs.activeOf(key);
  if (active !== undefined) return panels.show(active);
  await history.load();
  // The history has only the folders of the workspace.
  const dir = history.latest(key)?.traceDir ?? runs.lastTrace(key);
  if (dir !== undefined) await panels.openRecorded(dir);
  else void showInformation(l10n.t('No recorded run. Run the task first.'));
}

/** Compares a run of the Runs view with the run before it, or the last two runs of a task. */
async function compareLastTwo({ files, history, lastTwo }: Features, argument: unknown): Promise<void> {
  await history.load();
  const entry = history.entries.find(({ traceDir }) => traceDir === traceDirIn(argument));
  const show = async (key: string, traceDir?: string): Promise<void> => {
    const runs = traceDir === undefined ? lastTwo.of(key) : lastTwo.from(key, traceDir);
    if (runs !== undefined) await (await import('../compare/compare.ts')).compareRuns(...runs);
    else void showInformation(l10n.t('Nothing to compare. The task needs two runs with a reward.'));
  };
  if (entry === undefined) {
    const hasTwo: Eligible = ({ key }) => lastTwo.of(key) !== undefined;
    await withTask(files, argument, l10n.t('Select a task to compare its runs'), (task) => show(taskKey(task)), hasTwo);
  } else await show(taskKeyOfRun(entry.run), entry.traceDir);
}

/** The step whose context menu was opened, otherwise the selected step. */
function stepIn(panel: RunPanel, argument: unknown): number | null {
  const index = isRecord(argument) ? argument['index'] : undefined;
  return typeof index === 'number' ? index : panel.selected;
}

async function copyAction(panels: RunPanels, argument: unknown): Promise<void> {
  const panel = panels.current;
  if (panel?.run === undefined) return;
  const { copiedAction } = await import('../panel/copy-action.ts');
  const text = await copiedAction(panel.run, stepIn(panel, argument));
  if (text === null) void showInformation(l10n.t('This step has no action.'));
  else await vscode.env.clipboard.writeText(text);
}

/** Opens the page of the run in the active panel, otherwise the current page or start page of a task. */
async function openPage({ files, panels, runs }: Features, argument: unknown): Promise<void> {
  const { openInBrowser, pageOfRun } = await import('../open-page/open-page.ts');
  const { startAddress, startPage } = await import('../open-page/real-page.ts');
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
    const task = await readTask(files, reference);
    if (task !== undefined) await openInBrowser(await startPage(task));
    else void showError(unreadableTask(reference.name));
  };
  const hasPage: Eligible = ({ row, key }) =>
    row.task !== null && (runs.activeOf(key) !== undefined || startAddress(row.task) !== null);
  await withTask(files, argument, l10n.t('Select a task to open its page'), open, hasPage);
}

/** Keeps the passed run, that of the active panel, or one that the user selects; or stops keeping it. */
async function keepRun({ history, panels }: Features, argument: unknown, isKept: boolean): Promise<void> {
  const panel = panels.current;
  const shownTrace = panel?.active === true ? panel.run?.traceDir : undefined;
  const question = isKept ? l10n.t('Select a run to keep') : l10n.t('Select a run that may be removed when it is old');
  const dir =
    traceDirIn(argument) ??
    shownTrace ??
    (await chooseRun(history, question, ({ run, writtenAt }) => writtenAt !== null && (run.kept === true) !== isKept));
  if (dir === undefined) return;
  const { keepRun: keep } = await import('../../traces/keep-run.ts');
  await keep(dir, isKept);
  // The panel reads from the history whether its run is kept.
  await history.load();
  history.refresh();
}

async function deleteRun(history: RunHistory, argument: unknown): Promise<void> {
  const dir = traceDirIn(argument) ?? (await chooseRun(history, l10n.t('Select a run to delete'), hasEnded));
  if (dir === undefined) return;
  const question = deletionOf(dir, history);
  if (question === null) return;
  const detail = l10n.t('Its trace and screenshots are moved to the trash.');
  if (!(await confirm(showWarning, question, detail, l10n.t('Move to Trash')))) return;
  const { deleteRun: remove } = await import('../../traces/store.ts');
  await remove(dir, async (folder) => {
    await moveToTrash(vscode.Uri.file(folder));
  });
  history.refresh();
}

/** What to ask before a run is deleted; null if it is not in the history any more. */
function deletionOf(dir: string, { entries, jobs }: RunHistory): string | null {
  const entry = entries.find(({ traceDir }) => traceDir === dir);
  if (entry !== undefined) return l10n.t('Delete this run of “{0}”?', entry.run.task_id);
  const isUnreadable = jobs.some(({ problems }) => problems.some(({ traceDir }) => traceDir === dir));
  return isUnreadable ? l10n.t('Delete the run “{0}”, which cannot be read?', basename(dir)) : null;
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
