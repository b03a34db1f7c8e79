import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { StepInfo } from '../../environments/environment.ts';
import type { ReadableRun } from '../../presentation/runs/readable-run.ts';
import { offer, showInformation } from '../notifications.ts';
import { type RealPage, realPage } from './real-page.ts';

/** The page of a run: at a step, otherwise at the last step that has a page. */
export async function pageOfRun(run: ReadableRun, index: number | null): Promise<RealPage> {
  let url: string | null = null;
  for (const step of await run.steps()) {
    if (index !== null && step.index > index) break;
    url = (step.info as StepInfo).url ?? url;
  }
  return realPage(url, run.task);
}

/** Opens a page in the user's browser, or shows why that is not possible. */
export async function openInBrowser(page: RealPage): Promise<void> {
  if ('url' in page) {
    await vscode.env.openExternal(vscode.Uri.parse(page.url, true));
    return;
  }
  if ('reason' in page) {
    void showInformation(page.reason);
    return;
  }
  const isRemote = vscode.env.remoteName !== undefined || vscode.env.uiKind === vscode.UIKind.Web;
  const uri = vscode.Uri.file(page.file);
  if (!isRemote && (await vscode.env.openExternal(uri))) return;
  const message = isRemote
    ? l10n.t('Your browser cannot access this page: it is a file on another machine. Run the task to view it.')
    : l10n.t('The page could not be opened in a browser. Run the task to view it.');
  await offer(showInformation, message, l10n.t('Open File'), () => vscode.window.showTextDocument(uri));
}
