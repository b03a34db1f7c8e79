import { readdir, rm } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const VARIABLE = 'NODE_COMPILE_CACHE';

/**
 * Keeps what V8 makes of our programs and of Playwright, which is a third of the time that a process takes to load them.
 * Node's own place for it is among the temporary files, where others of this machine could lay theirs for us to run.
 */
export function keepCompiled(env: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): void {
  // Node 22.0 has it not, and a folder that cannot be written is none to Node: all is as before then.
  if (typeof enableCompileCache !== 'function') return;
  const given = env[VARIABLE];
  const ours = compiledFolder(env, platform);
  enableCompileCache(given || ours);
  // What a person's code starts keeps nothing of its own there. Whoever started this may have done so last month.
  if (given && dirname(given) === dirname(ours)) delete env[VARIABLE];
}

/** The environment for a program of ours: with it the program's own file is kept too, which is read before it can ask for that. */
export function withCompiled(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, [VARIABLE]: compiledFolder(env, process.platform) };
}

/**
 * In the person's own folder for what can be made again, a folder for each month: Node never removes what no program of
 * today comes from any more.
 */
export function compiledFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, now = new Date()): string {
  const home = env['HOME'] || homedir();
  const caches =
    platform === 'win32'
      ? env['LOCALAPPDATA'] || join(home, 'AppData', 'Local')
      : platform === 'darwin'
        ? join(home, 'Library', 'Caches')
        : env['XDG_CACHE_HOME'] || join(home, '.cache');
  return join(caches, 'taskwright', 'compiled', now.toISOString().slice(0, 'yyyy-mm'.length));
}

/** Removes what was kept before last month. */
export async function removeOldCompiled(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  now = new Date(),
): Promise<void> {
  const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1));
  const kept = [now, lastMonth].map((month) => compiledFolder(env, platform, month));
  const parent = dirname(compiledFolder(env, platform, now));
  // Where nothing was ever kept there is nothing to remove, and what cannot be removed only takes room.
  const names = await readdir(parent).catch(() => []);
  const old = names.map((name) => join(parent, name)).filter((path) => !kept.includes(path));
  await Promise.allSettled(old.map((path) => rm(path, { recursive: true, force: true })));
}
