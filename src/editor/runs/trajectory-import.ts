import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { importRuns, remotePictures } from '../../formats/runs/import-runs.ts';
import type { ImportedRun } from '../../formats/runs/imported-run.ts';
import { readRunFile } from '../../formats/runs/importers.ts';
import { BrokenFileError } from '../../formats/runs/read-json.ts';
import { joinTexts } from '../../presentation/plain-text.ts';
import { plural } from '../../presentation/plural.ts';
import { jobsFolder } from '../../runs/job/job.ts';
import { offer, showError, showInformation } from '../notifications.ts';

/** Imports the runs of a HUD file into the workspace and opens the first. Asks for the file if none is given. */
export async function importTrajectory(
  from: vscode.Uri | undefined,
  open: (traceDir: string) => Promise<void>,
): Promise<void> {
  const uri = from ?? (await askFile());
  if (uri === undefined) return;
  const folder = vscode.workspace.getWorkspaceFolder(uri) ?? vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) {
    void showInformation(l10n.t('Open a folder for the imported runs first.'));
    return;
  }
  let runs: readonly ImportedRun[];
  try {
    runs = await readRunFile(uri.fsPath);
  } catch (error) {
    if (!(error instanceof BrokenFileError)) throw error;
    showBroken(error);
    return;
  }
  const fetches = await mayFetch(remotePictures(runs));
  if (fetches === undefined) return;
  const { fetchPicture } = await import('../../formats/runs/fetch-picture.ts');
  let missingCount = 0;
  const traceDirs = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: l10n.t('Importing {0}', basename(uri.fsPath)) },
    () =>
      importRuns(
        runs,
        jobsFolder(folder.uri.fsPath),
        fetches
          ? async (url) => {
              const picture = await fetchPicture(url);
              if (picture === null) missingCount += 1;
              return picture;
            }
          : undefined,
      ),
  );
  const [first] = traceDirs;
  if (first !== undefined) await open(first);
  const missingNote = plural(
    missingCount,
    l10n.t('1 screenshot could not be downloaded.'),
    l10n.t('{0} screenshots could not be downloaded.', missingCount),
  );
  const importNote = l10n.t('Imported {0} runs. See the Runs view.', traceDirs.length);
  const notes = joinTexts([traceDirs.length > 1 ? importNote : '', missingCount > 0 ? missingNote : ''], ' ');
  if (notes !== '') void showInformation(notes);
}

async function askFile(): Promise<vscode.Uri | undefined> {
  const uris = await vscode.window.showOpenDialog({
    title: l10n.t('Import HUD 0.2 Trajectory or HUD 0.6 Trace'),
    openLabel: l10n.t('Import'),
    filters: { [l10n.t('HUD runs')]: ['json', 'jsonl'] },
  });
  return uris?.[0];
}

/** Whether to download screenshots from other hosts; undefined if the user cancels. */
async function mayFetch(urls: readonly string[]): Promise<boolean | undefined> {
  if (urls.length === 0) return false;
  const hosts = [...new Set(urls.map((url) => (URL.canParse(url) ? new URL(url).host : url)))];
  const shownHosts = hosts.length > 3 ? [...hosts.slice(0, 3), '…'] : hosts;
  const download = l10n.t('Download');
  const choice = await showInformation(
    plural(
      urls.length,
      l10n.t('Download the screenshot of this file?'),
      l10n.t('Download the {0} screenshots of this file?', urls.length),
    ),
    { modal: true, detail: l10n.t('Host: {0}. It can see that you opened this run.', shownHosts.join(', ')) },
    download,
    l10n.t('Import Without Screenshots'),
  );
  return choice === undefined ? undefined : choice === download;
}

function showBroken(error: BrokenFileError): void {
  void offer(showError, error.message, l10n.t('Show'), async () => {
    const at = new vscode.Position(error.at.line, error.at.character);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(error.file));
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
  });
}
