import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { programEnvironment } from '../../runs/agents/processes/program.ts';
import type { Printed, ToolHost } from '../../task-tools/tool.ts';
import { settings } from '../settings.ts';

/** Carries out command lines of `taskwright` in a folder, each in a process of its own. */
export function commandLineIn(folder: string, extensionFolder: string): ToolHost {
  return { folder, run: (args, signal) => carryOut(args, { folder, extensionFolder, signal }) };
}

function carryOut(
  args: readonly string[],
  of: { readonly folder: string; readonly extensionFolder: string; readonly signal: AbortSignal },
): Promise<Printed> {
  const [browser, miniwob] = [settings.browserPath(), settings.miniwobFolder()];
  const child = spawn(process.execPath, [join(of.extensionFolder, 'dist', 'cli.js'), ...args], {
    cwd: of.folder,
    env: {
      ...programEnvironment(),
      ...(browser === undefined ? {} : { TASKWRIGHT_BROWSER: browser }),
      ...(miniwob === undefined ? {} : { TASKWRIGHT_MINIWOB: miniwob }),
    },
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
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      of.signal.removeEventListener('abort', interrupt);
      resolve({ ...read, exit: code ?? 1 });
    });
  });
}
