import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { defined } from '../base/defined.ts';

/** The files that are large enough to be worth it. */
const CACHED_FILES = new Set([
  'commands.js',
  'sessions.js',
  'shared.js',
  'babel.js',
  'coreBundle.js',
  'utilsBundle.js',
]);
const PLAYWRIGHT = join('playwright-core', 'lib');
const SUM_BYTES = 4;
/** Variable with the folder of the cache that an image contains. */
const COMPILED = 'TASKWRIGHT_COMPILED';

/**
 * Caches the compiled code of the files that are loaded from now on, our own and Playwright's, for the next process
 * that is started as `program`. The cache is written when the process ends, so it includes functions that were compiled
 * while it ran. Node's `enableCompileCache` includes only what is compiled before a file runs, with which a short run
 * takes a quarter longer (`docs/performance.md`).
 *
 * Uses documented Node API only: `require.extensions`, `vm.Script`, and the loader constant.
 */
export function useCompileCache(
  program: string,
  folder = process.env[COMPILED] ?? cacheFolder(process.env, process.platform),
): void {
  const { extensions } = createRequire(join(import.meta.dirname, 'program.js'));
  const loadJs = extensions['.js'];
  const scripts: { readonly script: Script; readonly path: string }[] = [];
  withoutWarning('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER');
  extensions['.js'] = (module, filename) => {
    if (!isKept(filename)) return loadJs(module, filename);
    const source = readFileSync(filename);
    const name = `${program}-${basename(filename, '.js')}-${engine()}-${process.arch}-${crc32(source)}`;
    const path = join(folder, name);
    const cachedData = readKept(path);
    const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
      filename,
      ...defined({ cachedData }),
      // User-defined functions are loaded with `import()`.
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (cachedData === undefined || script.cachedDataRejected === true) scripts.push({ script, path });
    const { exports } = module;
    script.runInThisContext().call(exports, exports, createRequire(filename), module, filename, dirname(filename));
  };
  process.once('exit', () => {
    for (const { script, path } of scripts) write(path, script.createCachedData());
  });
}

/**
 * What V8 requires to be the same. On the machine of a user also its flags, because processes with different flags, such as
 * those in NODE_OPTIONS, would overwrite the cache of each other every time. An image is made once for one set of flags, and
 * is used on processors of all kinds, on which that tag depends too.
 */
function engine(): string {
  const version = process.versions.v8;
  return process.env[COMPILED] === undefined ? `${version}-${cachedDataVersionTag()}` : version;
}

/** Suppresses the warning about one experimental Node feature. */
function withoutWarning(feature: string): void {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!(typeof warning === 'string' && warning.startsWith(feature))) emitWarning(warning, ...rest);
  };
}

/** Other files of the same name are loaded normally. */
function isKept(filename: string): boolean {
  if (!CACHED_FILES.has(basename(filename))) return false;
  const folder = dirname(filename);
  return folder === import.meta.dirname || folder.endsWith(sep + PLAYWRIGHT);
}

/** The cached data, if it is intact. V8 only checks that it belongs to this source and this version of V8. */
function readKept(path: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    // Not cached yet, or not readable.
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
    // Another process may read or write the file.
    const part = `${path}.${process.pid}`;
    writeFileSync(part, Buffer.concat([sum, data]), { mode: 0o600 });
    renameSync(part, path);
  } catch {
    // The cache is optional.
  }
}

/** The cache folder of the user, with a subfolder for each month, so that entries of old versions can be removed. */
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

/** Removes the caches from before last month. */
export async function removeOldCaches(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  now = new Date(),
): Promise<void> {
  const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1));
  const current = [now, lastMonth].map((month) => cacheFolder(env, platform, month));
  const parent = dirname(cacheFolder(env, platform, now));
  // Missing folders need no cleanup, and a failure only wastes space.
  const names = await readdir(parent).catch(() => []);
  const outdatedPaths = names.map((name) => join(parent, name)).filter((path) => !current.includes(path));
  await Promise.allSettled(outdatedPaths.map((path) => rm(path, { recursive: true, force: true })));
}
