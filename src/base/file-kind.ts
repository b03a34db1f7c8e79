import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';

/** Whether a file system error means that the path does not exist, including a file in place of a parent folder. */
export function isNotFound(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** For `.catch`: returns null if the path does not exist, and rethrows other errors. */
export function nullIfNotFound(error: unknown): null {
  if (isNotFound(error)) return null;
  throw error;
}

/** Opens a file that anyone may have made, to read it. Rejects a pipe or a device, which may never end. */
export async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, READ);
  const stats = await file.stat();
  if (stats.isFile()) return file;
  await file.close();
  throw notOrdinary(stats);
}

/** Opening a pipe that nobody writes to would wait. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

function notOrdinary(stats: Stats): Error {
  if (stats.isDirectory()) return Object.assign(new Error('it is a folder'), { code: 'EISDIR', syscall: 'read' });
  return new Error('it is a pipe or a device, not a file');
}

/** Reads a file that anyone may have made; see `openFile`. */
export async function readOrdinaryFile(path: string): Promise<Buffer> {
  const file = await openFile(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Synchronous, for programs with nothing else to do: this takes a tenth of the processor time. */
export function readOrdinaryFileSync(path: string): Buffer {
  const file = openSync(path, READ);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw notOrdinary(stats);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Returns what is at a path. `unknown`: a special file, or one that cannot be inspected; reading it reports why. */
export async function kindAt(path: string): Promise<'file' | 'folder' | 'absent' | 'unknown'> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() ? 'file' : 'unknown';
  } catch (error) {
    return isNotFound(error) ? 'absent' : 'unknown';
  }
}
