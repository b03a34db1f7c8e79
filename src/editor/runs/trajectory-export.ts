import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { exported, toTrajectory } from '../../runs/formats/hud/export.ts';
import { openRun } from '../../runs/store/store.ts';

/** Writes a recorded run out as a trajectory of HUD 0.2, where the person says. */
export async function exportTrajectory(traceDir: string | undefined): Promise<void> {
  if (traceDir === undefined) {
    void vscode.window.showInformationMessage('Choose a run in the Runs view, or open one first.');
    return;
  }
  const run = await openRun(traceDir);
  if (run.running) {
    void vscode.window.showInformationMessage('This run still runs. Export it when it has ended.');
    return;
  }
  const task = vscode.Uri.file(run.header.task.file);
  const beside = vscode.workspace.getWorkspaceFolder(task) === undefined ? null : dirname(task.fsPath);
  const folder = beside ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir();
  const target = await vscode.window.showSaveDialog({
    title: 'Export as HUD Trajectory',
    defaultUri: vscode.Uri.file(join(folder, `${run.header.run_id}.trajectory.json`)),
    filters: { Trajectory: ['json'] },
  });
  if (target === undefined) return;
  const whole = await exported(run);
  const trajectory = await toTrajectory(whole);
  await writeFile(target.fsPath, `${JSON.stringify(trajectory, null, 2)}\n`);
  const where = vscode.workspace.asRelativePath(target);
  const [first, ...more] = whole.damage;
  const others = more.length === 0 ? '' : ` (and ${more.length} more: see its steps)`;
  const choice =
    first === undefined
      ? await vscode.window.showInformationMessage(`The run was written to ${where}, with its pictures.`, 'Open')
      : await vscode.window.showWarningMessage(
          `The run was written to ${where}, but not whole. ${first}${others}`,
          'Open',
        );
  if (choice !== undefined) await vscode.commands.executeCommand('vscode.open', target);
}
