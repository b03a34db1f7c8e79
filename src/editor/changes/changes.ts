import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { StepInfo } from '../../environments/environment.ts';
import { columnFor } from '../columns.ts';
import type { ShownRun } from '../runs/shown-run.ts';
import { CHANGED_FILE } from './provider.ts';
import type { RecordedText } from './recorded-text.ts';

/** Opens VS Code's own view of how a file differs, after a step, from what it was when the task began. */
export async function openChange(
  run: ShownRun,
  { index, path }: { readonly index: number; readonly path: string },
): Promise<void> {
  const info: StepInfo | undefined = (await run.step(index))?.info;
  const change = info?.changes?.find((one) => one.path === path);
  const { traceDir } = run;
  if (change === undefined || traceDir === null) {
    void vscode.window.showInformationMessage(`How “${path}” changed is not recorded.`);
    return;
  }
  const [before, after] = [uriOf(traceDir, path, change.before), uriOf(traceDir, path, change.after)];
  const title = `${basename(path)} (as it began ↔ step ${index + 1})`;
  await vscode.commands.executeCommand('vscode.diff', before, after, title, { viewColumn: columnFor(), preview: true });
}

/** Without a name: a file that is not there, which is shown empty. */
function uriOf(run: string, path: string, name: string | undefined): vscode.Uri {
  const query = name === undefined ? '' : JSON.stringify({ run, name } satisfies RecordedText);
  return vscode.Uri.from({ scheme: CHANGED_FILE, path: `/${path}`, query });
}
