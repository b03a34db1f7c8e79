import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { StepInfo } from '../../environments/environment.ts';
import type { ReadableRun } from '../../presentation/runs/readable-run.ts';
import { columnFor } from '../columns.ts';
import { SCHEME } from '../names.ts';
import { showInformation } from '../notifications.ts';
import type { RecordedText } from './recorded-text.ts';

/** Provides the content of recorded files: `taskwright-file:/path/in/the/folder?<RecordedText as JSON>`. */
export function registerChangedFiles(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME.recordedFile, {
    async provideTextDocumentContent({ query }) {
      if (query === '') return '';
      const { recordedText } = await import('./recorded-text.ts');
      const path = recordedText.parse(JSON.parse(query));
      return readFile(join(path.run, 'files', path.name), 'utf8');
    },
  });
}

/** Opens a diff editor for a file: its content at the start of the task and after a step. */
export async function openChange(
  run: ReadableRun,
  { index, path }: { readonly index: number; readonly path: string },
): Promise<void> {
  const info: StepInfo | undefined = (await run.step(index))?.info;
  const change = info?.changes?.find((one) => one.path === path);
  const { traceDir } = run;
  if (change === undefined || traceDir === null) {
    void showInformation(l10n.t('The change of “{0}” was not recorded.', path));
    return;
  }
  const [before, after] = [uriOf(traceDir, path, change.before), uriOf(traceDir, path, change.after)];
  const title = l10n.t('{0} (start ↔ step {1})', basename(path), index + 1);
  await vscode.commands.executeCommand('vscode.diff', before, after, title, { viewColumn: columnFor(), preview: true });
}

/** Without a name, the file did not exist: shows an empty document. */
function uriOf(run: string, path: string, name: string | undefined): vscode.Uri {
  const query = name === undefined ? '' : JSON.stringify({ run, name } satisfies RecordedText);
  return vscode.Uri.from({ scheme: SCHEME.recordedFile, path: `/${path}`, query });
}
