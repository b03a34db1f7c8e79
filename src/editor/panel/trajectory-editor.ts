import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { joinTexts } from '../../presentation/plain-text.ts';
import { Disposable } from '../lifecycle.ts';
import { COMMAND, TRAJECTORY_EDITOR } from '../names.ts';
import { offerCommand, showInformation } from '../notifications.ts';
import type { RunPanels } from './panels.ts';

/** Opens `*.trajectory.json` and HUD's trace files, `<trace_id>.jsonl`, as runs. “Reopen Editor With…” shows their text. */
export class TrajectoryEditor extends Disposable implements vscode.CustomReadonlyEditorProvider {
  readonly #panels: RunPanels;
  /** Imported runs, deleted when their editors are closed. */
  readonly #folder: string;

  constructor(context: vscode.ExtensionContext, panels: RunPanels) {
    super();
    this.#panels = panels;
    this.#folder = join((context.storageUri ?? context.globalStorageUri).fsPath, 'trajectories');
    this.register(vscode.window.registerCustomEditorProvider(TRAJECTORY_EDITOR, this));
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => {} };
  }

  async resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    const { readRunFile } = await import('../../formats/runs/importers.ts');
    const { importRuns, remotePictures } = await import('../../formats/runs/import-runs.ts');
    const folder = join(this.#folder, randomUUID());
    panel.onDidDispose(() => void rm(folder, { recursive: true, force: true }));
    await this.#panels.showIn(panel, async () => {
      const runs = await readRunFile(uri.fsPath);
      // The first alone is shown here; nothing is fetched for looking at a file.
      const firstRun = runs.slice(0, 1);
      const [traceDir = ''] = await importRuns(firstRun, folder);
      offerImport(uri, runs.length, remotePictures(firstRun).length);
      return traceDir;
    });
  }
}

/** Notifies of what is not shown, and offers to import it. */
function offerImport(uri: vscode.Uri, runs: number, pictures: number): void {
  const firstOf = runs > 1 ? l10n.t('showing the first of {0} runs', runs) : '';
  const missing = pictures > 0 ? l10n.t('{0} screenshots on other hosts were not downloaded', pictures) : '';
  if (firstOf === '' && missing === '') return;
  const message = `${vscode.workspace.asRelativePath(uri)}: ${joinTexts([firstOf, missing], '; ')}.`;
  offerCommand(showInformation, message, l10n.t('Import…'), COMMAND.importTrajectory, uri);
}
