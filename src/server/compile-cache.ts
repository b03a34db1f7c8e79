import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** The files of ours and of Playwright that are large enough. */
const KEPT = new Set(['commands.js', 'sessions.js', 'coreBundle.js', 'utilsBundle.js']);
const PLAYWRIGHT = join('playwright-core', 'lib');
const SUM_BYTES = 4;

/**
 * Keeps what V8 makes of the files that are loaded from here on, ours and Playwright's, for the next process that is
 * started as `program`. Node's own `enableCompileCache` keeps only what is compiled before a file has run, which is the
 * least of it: with that a run of one short task takes a fifth longer (`docs/performance.md`).
 */
export function useCompileCache(program: string, folder = cacheFolder(process.env, process.platform)): void {
  const { extensions } = createRequire(join(import.meta.dirname, 'program.js'));
  const usual = extensions['.js'];
  const made: { readonly script: Script; readonly path: string }[] = [];
  withoutWarning('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER');
  extensions['.js'] = (module, filename) => {
    if (!isKept(filename)) return usual(module, filename);
    const source = readFileSync(filename);
    const name = `${program}-${basename(filename, '.js')}-${process.versions.v8}-${process.arch}-${crc32(source)}`;
    const path = join(folder, name);
    const cachedData = readKept(path);
    const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
      filename,
      ...(cachedData === undefined ? {} : { cachedData }),
      // A person's functions are imported.
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (cachedData === undefined || script.cachedDataRejected === true) made.push({ script, path });
    const { exports } = module;
    script.runInThisContext().call(exports, exports, createRequire(filename), module, filename, dirname(filename));
  };
  process.once('exit', () => {
    for (const { script, path } of made) write(path, script.createCachedData());
  });
}

/** Suppresses Node's warning about one experimental feature, which a person can do nothing about. */
function withoutWarning(feature: string): void {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!(typeof warning === 'string' && warning.startsWith(feature))) emitWarning(warning, ...rest);
  };
}

/** A file of the same name that is a person's is loaded as Node does. */
function isKept(filename: string): boolean {
  if (!KEPT.has(basename(filename))) return false;
  const folder = dirname(filename);
  return folder === import.meta.dirname || folder.endsWith(sep + PLAYWRIGHT);
}

/** What was kept there, where it is whole: V8 itself looks only for whether it is of this source and this V8. */
function readKept(path: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    // Mostly it is the first time; what cannot be read is made anew.
    return undefined;
  }
  if (bytes.length < SUM_BYTES) return undefined;
  const data = bytes.subarray(SUM_BYTES);
  return bytes.readUInt32BE(0) === crc32(data) ? data : undefined;
}

function write(path: string, data: Buffer): void {
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32BE(crc32(data));
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Another process may be reading or writing it.
    const part = `${path}.${process.pid}`;
    writeFileSync(part, Buffer.concat([sum, data]), { mode: 0o600 });
    renameSync(part, path);
  } catch {
    // Without it all is as it was, and only slower.
  }
}

/**
 * In the person's own folder for what can be made again, a folder for each month: Node never removes what no program of
 * today comes from any more.
 */
export function cacheFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, now = new Date()): string {
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
export async function removeOldCaches(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  now = new Date(),
): Promise<void> {
  const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1));
  const kept = [now, lastMonth].map((month) => cacheFolder(env, platform, month));
  const parent = dirname(cacheFolder(env, platform, now));
  // Where nothing was ever kept there is nothing to remove, and what cannot be removed only takes room.
  const names = await readdir(parent).catch(() => []);
  const old = names.map((name) => join(parent, name)).filter((path) => !kept.includes(path));
  await Promise.allSettled(old.map((path) => rm(path, { recursive: true, force: true })));
}
