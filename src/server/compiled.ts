import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Keeps what V8 makes of our programs and of Playwright, which is a third of the time that a process takes to load them.
 * Node's own place for it is among the temporary files, where others of this machine could lay theirs for us to run.
 */
export function keepCompiled(env: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): void {
  // Node 22.0 has it not, and a folder that cannot be written is none to Node: all is as before then.
  if (typeof enableCompileCache !== 'function') return;
  enableCompileCache(env['NODE_COMPILE_CACHE'] || compiledFolder(env, platform));
}

/** The person's own folder for what can be made again. */
export function compiledFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = env['HOME'] || homedir();
  if (platform === 'win32')
    return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'taskwright', 'compiled');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'taskwright', 'compiled');
  return join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'taskwright', 'compiled');
}
