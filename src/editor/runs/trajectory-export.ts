import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { writeNamedFile } from '../../base/system-error.ts';
import { type Exporter, readForExport } from '../../formats/runs/exporter.ts';
import { EXPORTERS } from '../../formats/runs/exporters.ts';
import { openRun } from '../../traces/store.ts';
import { offer, showInformation, showWarning } from '../notifications.ts';

/** Exports a recorded run to a file that the user chooses, in a format that they choose if there are several. */
export async function exportTrajectory(traceDir: string | undefined): Promise<void> {
  if (traceDir === undefined) {
    void showInformation(l10n.t('Open a run or select one in the Runs view first.'));
    return;
  }
  const run = await openRun(traceDir);
  if (run.running) {
    void showInformation(l10n.t('This run is in progress. Export it when it has ended.'));
    return;
  }
  const exporter = await pickExporter();
  if (exporter === undefined) return;
  const task = vscode.Uri.file(run.header.task.file);
  const taskFolder = vscode.workspace.getWorkspaceFolder(task) === undefined ? null : dirname(task.fsPath);
  const folder = taskFolder ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir();
  const target = await vscode.window.showSaveDialog({
    title: l10n.t('Export as {0}', exporter.label),
    defaultUri: vscode.Uri.file(join(folder, `${run.header.run_id}.${exporter.extension}`)),
    filters: { [exporter.label]: ['json'] },
  });
  if (target === undefined) return;
  const exportable = await readForExport(run);
  await exporter.write([exportable], { file: (_name, content) => writeNamedFile(target.fsPath, content) });
  const displayPath = vscode.workspace.asRelativePath(target);
  const [first, ...more] = exportable.warnings;
  const moreText = more.length === 0 ? '' : ` ${l10n.t('({0} more)', more.length)}`;
  const message =
    first === undefined
      ? l10n.t('Exported to {0}.', displayPath)
      : `${l10n.t('Exported to {0} with parts missing: {1}', displayPath, first)}${moreText}`;
  const show = first === undefined ? showInformation : showWarning;
  await offer(show, message, l10n.t('Open'), () => vscode.commands.executeCommand('vscode.open', target));
}

async function pickExporter(): Promise<Exporter | undefined> {
  if (EXPORTERS.length === 1) return EXPORTERS[0];
  const items = EXPORTERS.map((exporter) => ({ label: exporter.label, exporter }));
  return (await vscode.window.showQuickPick(items, { title: l10n.t('Export Run') }))?.exporter;
}
