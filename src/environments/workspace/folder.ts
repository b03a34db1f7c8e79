import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { nullIfNotFound } from '../../base/file-kind.ts';
import { AgentFault } from '../../functions/agent-fault.ts';

/** The maximum size of a file that is read, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024;

/**
 * Resolves a path in a folder. Throws if it leads out of the folder by `..`, as an absolute path, or by a link.
 * @param root the real path of the folder; specify it if someone else can replace the folder with a link
 */
export async function pathWithin(folder: string, path: string, root?: string): Promise<string> {
  if (path === '' || path.includes('\0')) throw new Error('a path is needed, relative to the folder of the task');
  const wanted = resolve(folder, path);
  const now = await realpath(folder).catch(nullIfNotFound).catch(unreadable(path));
  if (now === null) throw new AgentFault('the task folder was deleted');
  if (root !== undefined && now !== root) throw new AgentFault('the task folder was replaced with a link');
  // The folder may also be named by its real path, without links.
  if (!isWithin(wanted, folder) && !isWithin(wanted, now)) {
    throw new Error(`“${path}” leads out of the folder of the task; paths are relative to it`);
  }
  let existing = wanted;
  for (;;) {
    const real = await realpath(existing).catch(nullIfNotFound).catch(unreadable(path));
    if (real !== null) {
      if (isWithin(real, root ?? now)) return resolve(real, relative(existing, wanted));
      throw new AgentFault(`“${path}” leads out of the folder of the task, by a link`);
    }
    if ((await lstat(existing).catch(nullIfNotFound).catch(unreadable(path))) !== null)
      throw new AgentFault(`“${path}” is a link that leads nowhere`);
    existing = dirname(existing);
  }
}

/**
 * Reads a file; null if it does not exist. Throws if the path leads out, or is not a regular file, or the file is too
 * large.
 */
export async function readWithin(folder: string, path: string, root?: string): Promise<Uint8Array | null> {
  const real = await pathWithin(folder, path, root);
  // Opening something other than a regular file may block forever.
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK)
    .catch(nullIfNotFound)
    .catch(unreadable(path));
  if (file === null) return null;
  try {
    await checkOpened(file, path, root ?? (await realpath(folder)));
    const found = await file.stat();
    if (found.isDirectory()) throw new AgentFault(`“${path}” is a folder`);
    if (!found.isFile()) throw new AgentFault(`“${path}” is not a regular file`);
    if (found.size > MAX_BYTES) throw new AgentFault(`“${path}” is larger than ${MAX_BYTES / 1024 / 1024} MB`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * The content of a file of a folder that may change at any moment. Null for what is no ordinary file by now, is not in the
 * folder, has become larger than `most` bytes, or cannot be read.
 */
export function readAsItIs(folder: string, path: string, most: number): Buffer | null {
  try {
    const file = openSync(resolve(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = fstatSync(file);
      if (!found.isFile() || found.size > most) return null;
      if (process.platform === 'linux' && !isWithin(readlinkSync(`/proc/self/fd/${file}`), folder)) return null;
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // It has gone meanwhile, is a link, or is kept from us.
    return null;
  }
}

/** How to write a file that several users share. */
export interface Sharing {
  /** Creates a folder that another user owns, with missing parent folders. */
  readonly makeFolder: (path: string) => Promise<void>;
}

/**
 * Writes a file, and creates missing parent folders. Throws if the path leads out or is not a regular file.
 * @param sharing undefined if no other user may write the file
 */
export async function writeWithin(
  folder: string,
  path: string,
  content: string | Uint8Array,
  sharing?: Sharing,
  root?: string,
): Promise<void> {
  const real = await pathWithin(folder, path, root);
  const found = await lstat(real).catch(nullIfNotFound);
  if (found !== null && !found.isFile())
    throw new AgentFault(`“${path}” is ${found.isDirectory() ? 'a folder' : 'not a regular file'}`);
  if (found === null) await (sharing?.makeFolder ?? makeFolder)(dirname(real));
  // Truncated only after it is certain which file was opened.
  const file = await open(real, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    await checkOpened(file, path, root ?? (await realpath(folder)));
    if (sharing !== undefined && found === null) await file.chmod(0o666);
    await file.truncate();
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
}

/** Checks the opened file in the kernel, because a link may have replaced a folder since the path was checked. */
async function checkOpened(file: FileHandle, path: string, root: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const opened = await readlink(`/proc/self/fd/${file.fd}`);
  if (!isWithin(opened, root)) throw new AgentFault(`“${path}” leads out of the folder of the task, by a link`);
}

/** What keeps everybody from reading a file is the doing of whoever left it there. */
const UNREADABLE: Readonly<Record<string, string>> = {
  EACCES: 'is not readable',
  EPERM: 'is not readable',
  ELOOP: 'is a link that leads back to itself',
  ENXIO: 'is no ordinary file',
  ENODEV: 'is no ordinary file',
  ENOTSUP: 'is no ordinary file',
  EOPNOTSUPP: 'is no ordinary file',
};

function unreadable(path: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    const words = UNREADABLE[error.code ?? ''];
    throw words === undefined ? error : new AgentFault(`“${path}” ${words}`);
  };
}

/** Whether a path is the folder or is inside of it. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
