import * as vscode from 'vscode';
import type { StepInfo } from '../../environments/environment.ts';
import type { ShownRun } from '../runs/shown-run.ts';
import { type RealPage, realPage } from './real-page.ts';

/** The page that a run is, or was, at: at a step, else at the last one that has a page. */
export async function pageOfRun(run: ShownRun, index: number | null): Promise<RealPage> {
  let url: string | null = null;
  for (const step of await run.steps()) {
    if (index !== null && step.index > index) break;
    url = (step.info as StepInfo).url ?? url;
  }
  return realPage(url, run.task);
}

/** Opens a page in the person's own browser, or says why that cannot be. */
export async function openInBrowser(page: RealPage): Promise<void> {
  if ('url' in page) {
    await vscode.env.openExternal(vscode.Uri.parse(page.url, true));
    return;
  }
  if ('why' in page) {
    void vscode.window.showInformationMessage(page.why);
    return;
  }
  const elsewhere = vscode.env.remoteName !== undefined || vscode.env.uiKind === vscode.UIKind.Web;
  const opened = !elsewhere && (await vscode.env.openExternal(vscode.Uri.file(page.file)));
  if (opened) return;
  const show = 'Show the File';
  const why = elsewhere
    ? 'This page is a file on another machine than your browser.'
    : 'The file of this page could not be opened in a browser.';
  const choice = await vscode.window.showInformationMessage(
    `${why} While the task runs, the run panel shows it.`,
    show,
  );
  if (choice === show) await vscode.window.showTextDocument(vscode.Uri.file(page.file));
}
