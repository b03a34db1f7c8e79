import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const VARIABLE = 'NODE_COMPILE_CACHE';

/**
 * Keeps what V8 makes of our programs and of Playwright, which is a third of the time that a process takes to load them.
 * Node's own place for it is among the temporary files, where others of this machine could lay theirs for us to run.
 */
export function keepCompiled(env: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): void {
  // Node 22.0 has it not, and a folder that cannot be written is none to Node: all is as before then.
  if (typeof enableCompileCache !== 'function') return;
  const ours = compiledFolder(env, platform);
  enableCompileCache(env[VARIABLE] || ours);
  // What a person's code starts keeps nothing of its own there.
  if (env[VARIABLE] === ours) delete env[VARIABLE];
}

/** The environment for a program of ours: with it the program's own file is kept too, which is read before it can ask for that. */
export function withCompiled(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, [VARIABLE]: compiledFolder(env, process.platform) };
}

/** The person's own folder for what can be made again. */
export function compiledFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = env['HOME'] || homedir();
  if (platform === 'win32')
    return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'taskwright', 'compiled');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'taskwright', 'compiled');
  return join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'taskwright', 'compiled');
}
