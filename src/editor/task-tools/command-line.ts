import { spawn } from 'node:child_process';
import type * as vscode from 'vscode';
import type { Printed, ToolHost } from '../../task-tools/tool.ts';
import { commandLine, optionsOf } from '../command-line.ts';

/** Carries out command lines of `taskwright` in a folder, each in a process of its own. */
export function commandLineIn(folder: vscode.Uri, extensionFolder: string): ToolHost {
  return {
    folder: folder.fsPath,
    runOptions: optionsOf(folder),
    run: (args, signal) => carryOut(args, { folder, extensionFolder, signal }),
  };
}

async function carryOut(
  args: readonly string[],
  of: { readonly folder: vscode.Uri; readonly extensionFolder: string; readonly signal: AbortSignal },
): Promise<Printed> {
  of.signal.throwIfAborted();
  const { file, args: before, env } = commandLine(of.extensionFolder, of.folder);
  const child = spawn(file, [...before, ...args], {
    cwd: of.folder.fsPath,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  // Its runs end as cancelled.
  const interrupt = (): void => void child.kill('SIGINT');
  of.signal.addEventListener('abort', interrupt, { once: true });
  const read = { out: '', notes: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    read.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    read.notes += text;
  });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      of.signal.removeEventListener('abort', interrupt);
      resolve({ ...read, exit: code ?? 1 });
    });
  });
}
