import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { panelHtml } from './html.ts';
import { isBelow } from './step-location.ts';

/** The folders that a run panel may load from: the extension's own, the screenshots of the workspace, and those of `traceDir`. */
export function resourceRoots(extensionUri: vscode.Uri, traceDir: string | null | undefined): readonly vscode.Uri[] {
  const jobs = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) =>
    vscode.Uri.joinPath(uri, '.taskwright', 'jobs'),
  );
  const roots = [vscode.Uri.joinPath(extensionUri, 'dist'), ...jobs];
  const isOutsideJobs = typeof traceDir === 'string' && !jobs.some((root) => isBelow(traceDir, root.fsPath));
  return isOutsideJobs ? [...roots, vscode.Uri.file(traceDir)] : roots;
}

/** Loads a page into a webview. The page posts `ready` when it accepts messages. */
export function loadPage(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  roots: readonly vscode.Uri[],
  name: 'panel' | 'job' | 'rescore' = 'panel',
): void {
  webview.options = { enableScripts: true, localResourceRoots: roots };
  const at = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', file)).toString();
  webview.html = panelHtml({
    nonce: randomBytes(16).toString('base64url'),
    cspSource: webview.cspSource,
    script: at(`${name}.js`),
    style: at(`${name}.css`),
    language: vscode.env.language,
    messages: vscode.l10n.bundle && JSON.stringify(vscode.l10n.bundle),
  });
}
