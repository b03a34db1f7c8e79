import { basename } from 'node:path';
import * as vscode from 'vscode';
import { importRuns, remotePictures } from '../../runs/formats/import-runs.ts';
import type { ImportedRun } from '../../runs/formats/imported-run.ts';
import { readRunFile } from '../../runs/formats/importers.ts';
import { BrokenFileError } from '../../runs/formats/read-json.ts';
import { jobsFolder } from '../../runs/job/job.ts';
import type { RunPanels } from '../panel/panels.ts';

/** Takes the runs of a file of HUD's into the workspace's runs, and shows the first. Without a file the person is asked. */
export async function importTrajectory(from: vscode.Uri | undefined, panels: RunPanels): Promise<void> {
  const uri = from ?? (await askFile());
  if (uri === undefined) return;
  const folder = vscode.workspace.getWorkspaceFolder(uri) ?? vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) {
    void vscode.window.showInformationMessage('Open a folder first: imported runs are kept in its .taskwright/jobs.');
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
  const { fetchPicture } = await import('../../runs/formats/fetch-picture.ts');
  let missed = 0;
  const traceDirs = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Importing ${basename(uri.fsPath)}` },
    () =>
      importRuns(
        runs,
        jobsFolder(folder.uri.fsPath),
        fetches
          ? async (url) => {
              const picture = await fetchPicture(url);
              if (picture === null) missed += 1;
              return picture;
            }
          : undefined,
      ),
  );
  const [first] = traceDirs;
  if (first !== undefined) await panels.openRecorded(first);
  const notes = [
    ...(traceDirs.length > 1 ? [`${traceDirs.length} runs were imported; they stand in the Runs view`] : []),
    ...(missed > 0 ? [`${missed} pictures could not be had: they are gone, no PNG or JPEG, or too large`] : []),
  ];
  if (notes.length > 0) void vscode.window.showInformationMessage(`${notes.join('. ')}.`);
}

async function askFile(): Promise<vscode.Uri | undefined> {
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: 'Import a Trajectory of HUD 0.2 or a Trace of HUD 0.6',
      openLabel: 'Import',
      filters: { 'Runs of HUD': ['json', 'jsonl'] },
    })) ?? [];
  return uri;
}

/** Whether pictures on other machines are fetched: true, false, or undefined where the person gave up. */
async function mayFetch(urls: readonly string[]): Promise<boolean | undefined> {
  if (urls.length === 0) return false;
  const hosts = [...new Set(urls.map((url) => (URL.canParse(url) ? new URL(url).host : url)))];
  const shown = hosts.length > 3 ? [...hosts.slice(0, 3), '…'] : hosts;
  const choice = await vscode.window.showInformationMessage(
    `Download ${urls.length === 1 ? 'the picture' : `the ${urls.length} pictures`} of this file?`,
    {
      modal: true,
      detail: `${urls.length === 1 ? 'It is' : 'They are'} on ${shown.join(', ')}, which learns that you look at this run.`,
    },
    'Download',
    'Without Pictures',
  );
  return choice === undefined ? undefined : choice === 'Download';
}

function showBroken(error: BrokenFileError): void {
  void vscode.window.showErrorMessage(error.message, 'Show').then(async (choice) => {
    if (choice === undefined) return;
    const at = new vscode.Position(error.at.line, error.at.character);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(error.file));
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
  });
}
