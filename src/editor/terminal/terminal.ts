import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import * as vscode from 'vscode';
import { launchers } from './launcher.ts';

/** Puts the command line on the PATH of the terminals that are opened from now on. */
export async function offerInTerminals(context: vscode.ExtensionContext): Promise<void> {
  const folder = join(context.globalStorageUri.fsPath, 'bin');
  const program = vscode.Uri.joinPath(context.extensionUri, 'dist', 'cli.js').fsPath;
  await mkdir(folder, { recursive: true });
  for (const { name, text, mode } of launchers(process.execPath, program)) {
    const path = join(folder, name);
    // What cannot be read is written, and writing says what is wrong.
    const present = await readFile(path, 'utf8').catch(() => undefined);
    // Written only where it differs: other windows may be running it.
    if (present !== text) await writeFile(path, text, { mode });
  }
  const variables = context.environmentVariableCollection;
  // Set anew at every start, so that it never outlives the extension.
  variables.persistent = false;
  variables.description = 'Makes the `taskwright` command available.';
  variables.prepend('PATH', `${folder}${delimiter}`);
}
