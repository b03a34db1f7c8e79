import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { launchers } from './launcher.ts';

/** Adds the command line to the PATH of new terminals. */
export async function offerInTerminals(context: vscode.ExtensionContext): Promise<void> {
  const folder = join(context.globalStorageUri.fsPath, 'bin');
  const program = vscode.Uri.joinPath(context.extensionUri, 'dist', 'cli.js').fsPath;
  await mkdir(folder, { recursive: true });
  for (const { name, text, mode } of launchers(process.execPath, program)) {
    const path = join(folder, name);
    // If it cannot be read, writing it reports why.
    const present = await readFile(path, 'utf8').catch(() => undefined);
    // Other windows may be running it.
    if (present !== text) await writeFile(path, text, { mode });
  }
  const variables = context.environmentVariableCollection;
  // Must not outlive the extension.
  variables.persistent = false;
  variables.description = l10n.t('Adds the `taskwright` command.');
  variables.prepend('PATH', `${folder}${delimiter}`);
}
