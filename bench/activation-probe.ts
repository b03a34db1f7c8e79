import { appendFileSync } from 'node:fs';
import * as vscode from 'vscode';

/** Runs inside the extension host: loads and activates the extension, and writes how many milliseconds that took. */
export async function run(): Promise<void> {
  const extension = vscode.extensions.getExtension('taskwright.taskwright');
  if (extension === undefined || extension.isActive) throw new Error('The extension is missing or active too early.');
  const began = performance.now();
  await extension.activate();
  const took = performance.now() - began;
  const playwright = Object.keys(require.cache).some((path) => path.includes('playwright'));
  appendFileSync(process.env['TASKWRIGHT_BENCH_OUT'] ?? '', `${JSON.stringify({ took, playwright })}\n`);
}
