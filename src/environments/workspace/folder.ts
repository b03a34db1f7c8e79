import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { type FileHandle, glob, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { nullIfNotFound } from '../../base/file-kind.ts';
import { AgentFault } from '../../functions/agent-fault.ts';
import type { FileMode } from '../../functions/declaration.ts';

/** The maximum size of a file that an agent has written, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Resolves a path in a folder. Throws if it leads out of the folder by `..`, as an absolute path, or by a link.
 * @param root the real path of the folder; specify it if someone else can replace the folder with a link
 */
export async function pathWithin(folder: string, path: string, root?: string): Promise<string> {
  if (path === '' || path.includes('\0')) throw new Error('a path is needed, relative to the folder of the task');
  const target = resolve(folder, path);
  const now = await unlessMissing(realpath(folder), path);
  if (now === null) throw new AgentFault('the task folder was deleted');
  if (root !== undefined && now !== root) throw new AgentFault('the task folder was replaced with a link');
  // The folder may also be named by its real path, without links.
  if (!isWithin(target, folder) && !isWithin(target, now)) {
    throw new Error(`“${path}” leads out of the folder of the task; paths are relative to it`);
  }
  let existing = target;
  for (;;) {
    const real = await unlessMissing(realpath(existing), path);
    if (real !== null) {
      if (isWithin(real, root ?? now)) return resolve(real, relative(existing, target));
      throw new AgentFault(`“${path}” leads out of the folder of the task, by a link`);
    }
    if ((await unlessMissing(lstat(existing), path)) !== null) {
      throw new AgentFault(`“${path}” is a link that leads nowhere`);
    }
    existing = dirname(existing);
  }
}

/**
 * Reads a file; null if it does not exist. Throws if the path leads out, or is not a regular file, or the file is too
 * large: more than `mostBytes`, or, as the fault of an agent, more than 10 MB.
 */
export async function readWithin(
  folder: string,
  path: string,
  root?: string,
  mostBytes?: number,
): Promise<Uint8Array | null> {
  const real = await pathWithin(folder, path, root);
  // Opening something other than a regular file may block forever.
  const file = await unlessMissing(open(real, constants.O_RDONLY | constants.O_NONBLOCK), path);
  if (file === null) return null;
  try {
    await checkOpened(file, path, root ?? (await realpath(folder)));
    const stats = await file.stat();
    if (stats.isDirectory()) throw new AgentFault(`“${path}” is a folder`);
    if (!stats.isFile()) throw new AgentFault(`“${path}” is not a regular file`);
    const most = mostBytes ?? MAX_BYTES;
    if (stats.size > most) {
      const message = `“${path}” is larger than ${most / 1024 / 1024} MB`;
      throw mostBytes === undefined ? new AgentFault(message) : new Error(message);
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Git's mode of a file or link. Windows has no executable files. */
export function modeOf(stats: Pick<Stats, 'mode' | 'isSymbolicLink'>): FileMode {
  if (stats.isSymbolicLink()) return '120000';
  return (stats.mode & 0o100) === 0 ? '100644' : '100755';
}

/** A file, or a link with its target as content. */
export interface FolderEntry {
  readonly mode: FileMode;
  readonly content: Uint8Array;
}

/** The file or the link at a path; null if there is none. Throws like `readWithin`, and if a folder of the path is a link. */
export async function entryWithin(folder: string, path: string, root?: string): Promise<FolderEntry | null> {
  const place = await placeWithin(folder, path, root);
  for (let above = dirname(relative(folder, resolve(folder, path))); above !== '.'; above = dirname(above)) {
    if ((await unlessMissing(lstat(resolve(folder, above)), path))?.isSymbolicLink())
      throw new AgentFault(`“${path}” is behind the link “${above}”: name the path that the link leads to`);
  }
  const stats = await unlessMissing(lstat(place), path);
  if (stats === null) return null;
  const content = stats.isSymbolicLink() ? await readlink(place, 'buffer') : await readWithin(folder, path, root);
  return content && { mode: modeOf(stats), content };
}

/** Resolves a path like `pathWithin`, but does not follow a link in its place. */
export async function placeWithin(folder: string, path: string, root?: string): Promise<string> {
  const target = resolve(folder, path);
  if (target === resolve(folder) || path.includes('\0') || !isWithin(target, folder))
    return pathWithin(folder, path, root);
  return join(await pathWithin(folder, dirname(target), root), basename(target));
}

/** Characters of a pattern that a path rarely has. */
const IS_PATTERN = /[*?[\]{}]/;

/**
 * The paths of the files at a path, relative to the folder and sorted: the file itself, all files in a folder, or those
 * that match a pattern. Throws if the path leads out.
 */
export async function filesWithin(folder: string, path: string, root?: string): Promise<readonly string[]> {
  const real = await pathWithin(folder, path, root);
  const stats = await unlessMissing(lstat(real), path);
  if (stats?.isDirectory() === false) return [path];
  if (stats === null && !IS_PATTERN.test(path)) return [];
  const [cwd, pattern] = stats === null ? [root ?? folder, path] : [real, '**'];
  const files: string[] = [];
  // No links, because a file with two names counts once.
  for await (const entry of glob(pattern, {
    cwd,
    withFileTypes: true,
    exclude: ({ name }) => name === 'node_modules',
  })) {
    if (entry.isFile()) files.push(relative(root ?? folder, resolve(cwd, entry.parentPath, entry.name)));
  }
  return files.toSorted();
}

/**
 * The content of a file in a folder that may change at any moment. Null if it is no longer a regular file in the folder, is
 * larger than `most` bytes, or cannot be read.
 */
export function readAsItIs(folder: string, path: string, most: number): Buffer | null {
  try {
    const file = openSync(resolve(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile() || stats.size > most) return null;
      if (process.platform === 'linux' && !isWithin(readlinkSync(`/proc/self/fd/${file}`), folder)) return null;
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // It was removed meanwhile, is a link, or is not readable.
    return null;
  }
}

/** The target of a link in a folder that may change at any moment. Null if it is no longer a link in the folder. */
export function readLinkAsItIs(folder: string, path: string): Buffer | null {
  try {
    const parent = openSync(resolve(folder, dirname(path)), constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      if (process.platform !== 'linux') return readlinkSync(resolve(folder, path), 'buffer');
      const place = `/proc/self/fd/${parent}`;
      return isWithin(readlinkSync(place), folder) ? readlinkSync(`${place}/${basename(path)}`, 'buffer') : null;
    } finally {
      closeSync(parent);
    }
  } catch {
    // It was removed meanwhile, or is no link.
    return null;
  }
}

/** Makes a file executable for those who may read it, or for nobody. Throws if the path leads out or is not a regular file. */
export async function setExecutableWithin(
  folder: string,
  path: string,
  executable: boolean,
  root: string,
): Promise<void> {
  const place = await placeWithin(folder, path, root);
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    await checkOpened(file, path, root);
    const { mode } = await file.stat();
    await file.chmod(executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111);
  } finally {
    await file.close();
  }
}

/**
 * Writes a file, and creates missing parent folders. Throws if the path leads out or is not a regular file.
 * @param makeFolder creates a folder that another user owns, with missing parent folders; then that user may write the file
 */
export async function writeWithin(
  folder: string,
  path: string,
  content: string | Uint8Array,
  makeFolder?: (path: string) => Promise<void>,
  root?: string,
): Promise<void> {
  const real = await pathWithin(folder, path, root);
  const stats = await lstat(real).catch(nullIfNotFound);
  if (stats !== null && !stats.isFile())
    throw new AgentFault(`“${path}” is ${stats.isDirectory() ? 'a folder' : 'not a regular file'}`);
  if (stats === null) await (makeFolder?.(dirname(real)) ?? mkdir(dirname(real), { recursive: true }));
  // Truncated only after the opened file was checked.
  const file = await open(real, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    await checkOpened(file, path, root ?? (await realpath(folder)));
    if (makeFolder !== undefined && stats === null) await file.chmod(0o666);
    await file.truncate();
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

/** Checks the opened file in the kernel, because a link may have replaced a folder since the path was checked. */
async function checkOpened(file: FileHandle, path: string, root: string): Promise<void> {
  if (process.platform !== 'linux') return;
  if (!isWithin(await readlink(`/proc/self/fd/${file.fd}`), root))
    throw new AgentFault(`“${path}” leads out of the folder of the task, by a link`);
}

/** Why a file is not readable, by the code of the error. The agent has caused these. */
const UNREADABLE: Readonly<Record<string, string>> = {
  EACCES: 'is not readable',
  EPERM: 'is not readable',
  ELOOP: 'is a link that leads back to itself',
  ENAMETOOLONG: 'has too long a name',
  ENXIO: 'is no ordinary file',
  ENODEV: 'is no ordinary file',
  ENOTSUP: 'is no ordinary file',
  EOPNOTSUPP: 'is no ordinary file',
};

/** The result of a file system request about a path; null if it does not exist. */
async function unlessMissing<T>(request: Promise<T>, path: string): Promise<T | null> {
  return request.catch(nullIfNotFound).catch((error: NodeJS.ErrnoException) => {
    const reason = UNREADABLE[error.code ?? ''];
    throw reason === undefined ? error : new AgentFault(`“${path}” ${reason}`);
  });
}

/** Whether a path is the folder or is inside of it. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
