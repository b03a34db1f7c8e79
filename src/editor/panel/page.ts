import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { panelHtml } from './html.ts';
import { isBelow } from './step-location.ts';

/**
 * The folders that the panel's page may load from: our own page, the pictures of runs in the workspace's usual places,
 * and those of a run shown from elsewhere.
 */
export function resourceRoots(extensionUri: vscode.Uri, traceDir: string | null | undefined): readonly vscode.Uri[] {
  const jobs = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) =>
    vscode.Uri.joinPath(uri, '.taskwright', 'jobs'),
  );
  const roots = [vscode.Uri.joinPath(extensionUri, 'dist'), ...jobs];
  const elsewhere = typeof traceDir === 'string' && !jobs.some((root) => isBelow(traceDir, root.fsPath));
  return elsewhere ? [...roots, vscode.Uri.file(traceDir)] : roots;
}

/** Loads a page anew: of the run panel, a job, or runs judged again; it says `ready` when it takes messages. */
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
  });
}
