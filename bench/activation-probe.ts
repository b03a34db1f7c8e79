import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';

interface Program {
  activate(context: vscode.ExtensionContext): void;
}

/**
 * Runs inside the extension host and writes the two times that VS Code itself shows of an extension, in ms: loading
 * its code, and the call of `activate`. What VS Code does around them for any extension is not in them.
 */
export async function run(): Promise<void> {
  const extension = vscode.extensions.getExtension('taskwright.taskwright');
  if (extension === undefined || extension.isActive) throw new Error('The extension is missing or active too early.');
  const main = require.resolve(join(extension.extensionPath, extension.packageJSON.main));
  const began = performance.now();
  const program: Program = require(main);
  const load = performance.now() - began;
  let call: number | undefined;
  const mainModule = require.cache[main];
  if (mainModule === undefined) throw new Error('The extension was not loaded as a module.');
  // VS Code gets this in place of the module it would load.
  mainModule.exports = {
    ...program,
    activate(context: vscode.ExtensionContext) {
      const start = performance.now();
      program.activate(context);
      call = performance.now() - start;
    },
  };
  await extension.activate();
  if (call === undefined) throw new Error('VS Code has loaded another copy of the extension.');
  const playwright = Object.keys(require.cache).some((path) => path.includes('playwright'));
  appendFileSync(process.env['TASKWRIGHT_BENCH_OUT'] ?? '', `${JSON.stringify({ load, call, playwright })}\n`);
}
