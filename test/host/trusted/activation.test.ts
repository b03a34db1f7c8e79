import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { eventually, extension, workspacePath } from '../workspace.ts';

/** Command lines of every process below this one; empty where the system does not tell. */
function childPrograms(): string[] {
  if (process.platform !== 'linux') return [];
  const parents = new Map<string, string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      parents.set(pid, stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? '');
    } catch {
      // It ended while we looked.
    }
  }
  const isOurs = (pid: string | undefined): boolean =>
    pid !== undefined && (pid === String(process.pid) || isOurs(parents.get(pid)));
  return [...parents.keys()]
    .filter((pid) => pid !== String(process.pid) && isOurs(pid))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    });
}

describe('the extension, before anything was run', () => {
  it('wakes up by itself in a folder that holds tasks', async () => {
    await eventually(() => extension().isActive || undefined);
  });

  it('has not loaded what drives a browser', () => {
    const loaded = Object.keys(require.cache).filter((path) => /playwright|dockerode|dist.docker\.js/.test(path));
    assert.deepEqual(loaded, []);
  });

  it('has started no process', () => {
    const ours = childPrograms().filter((command) => /dist[\\/](server|agent|cli)\.js|chrom/i.test(command));
    assert.deepEqual(ours, []);
  });

  it('has left nothing in the workspace', () => {
    assert.ok(!readdirSync(workspacePath()).includes('.taskwright'));
  });

  it('registers every command that it contributes', async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    const contributed: { command: string }[] = extension().packageJSON.contributes.commands;
    assert.ok(contributed.length > 0);
    assert.deepEqual(
      contributed.map(({ command }) => command).filter((command) => !registered.has(command)),
      [],
    );
  });

  it('is woken by task files, its panels and documents, its debugger and nothing as wide as a language or start-up', () => {
    const events: string[] = extension().packageJSON.activationEvents;
    assert.deepEqual(
      events.filter((event) => !/^(workspaceContains|onWebviewPanel|onFileSystem|onDebug\w+):/.test(event)),
      [],
    );
  });
});
