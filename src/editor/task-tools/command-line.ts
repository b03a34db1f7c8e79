import { spawn } from 'node:child_process';
import type * as vscode from 'vscode';
import type { Printed, ToolHost } from '../../task-tools/tool.ts';
import { commandLine, limitsOf } from '../command-line.ts';
import { configuredHosts } from '../placement/docker-settings.ts';
import { settings } from '../settings.ts';

/** Carries out command lines of `taskwright` in a folder, each in a process of its own. */
export function commandLineIn(folder: vscode.Uri, extensionFolder: string): ToolHost {
  return {
    folder: folder.fsPath,
    runOptions: [...limitsOf(folder), ...placesOf(folder)],
    run: (args, signal) => carryOut(args, { folder, extensionFolder, signal }),
  };
}

/** The options of `run` that say where the placement of the settings is. */
function placesOf(folder: vscode.Uri): readonly string[] {
  const given = (options: Readonly<Record<string, string | null>>): readonly string[] =>
    Object.entries(options).flatMap(([name, value]) => (value === null ? [] : [`--${name}`, value]));
  switch (settings.placement(folder)) {
    case 'swarm':
      return given({ lanes: String(settings.swarmLanes()), registry: settings.swarmRegistry() });
    case 'kubernetes':
      return given({
        lanes: String(settings.kubernetesLanes()),
        registry: settings.kubernetesRegistry(),
        namespace: settings.kubernetesNamespace(),
      });
    case 'local':
      return [];
    default:
      return given({ hosts: configuredHosts(settings.docker).join(',') || null });
  }
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
