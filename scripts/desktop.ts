import { spawnSync } from 'node:child_process';
import { downloadAndUnzipVSCode, resolveCliPathFromVSCodeExecutablePath } from '@vscode/test-electron';
import { cacheFolder } from './places.ts';

const PROBE_MS = 4000;
const UPDATES = 'https://update.code.visualstudio.com/api/releases/stable';

/** Whether a desktop application can show a window here. */
function hasDisplay(): boolean {
  if (process.platform !== 'linux') return true;
  // As root VS Code refuses to start without a profile of its own.
  if (process.getuid?.() === 0) return false;
  return Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']);
}

/** Whether VS Code's download answers. */
export async function canDownload(): Promise<boolean> {
  try {
    return (await fetch(UPDATES, { signal: AbortSignal.timeout(PROBE_MS) })).ok;
  } catch {
    return false;
  }
}

/**
 * The `code` program of a desktop VS Code: the installed one, else a downloaded one.
 * Null if there is no display, or none is installed and none can be downloaded.
 */
export async function findDesktop(say: (text: string) => void): Promise<string | null> {
  if (!hasDisplay()) return null;
  const shell = process.platform === 'win32';
  const version = spawnSync('code', ['--version'], { encoding: 'utf8', shell });
  if (version.status === 0) return 'code';
  if (!(await canDownload())) return null;
  say('Downloading VS Code...');
  return resolveCliPathFromVSCodeExecutablePath(await downloadAndUnzipVSCode({ cachePath: cacheFolder }));
}

/** Opens a folder and a file in a new window of the desktop VS Code with the extension loaded from `extension`. */
export function openDesktop(code: string, extension: string, folder: string, file: string): void {
  const args = ['--new-window', `--extensionDevelopmentPath=${extension}`, folder, '--goto', `${file}:1`];
  const shell = process.platform === 'win32';
  const done = spawnSync(code, shell ? args.map((arg) => `"${arg}"`) : args, { stdio: 'inherit', shell });
  if (done.status !== 0)
    throw new Error(`VS Code could not be opened: ${done.error?.message ?? `exit ${done.status}`}`);
}
