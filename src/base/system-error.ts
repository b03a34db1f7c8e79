import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Messages for common errors of files and folders, by code (errno(3)). */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file is too large',
  EMFILE: 'too many open files; raise the limit of this process (ulimit -n)',
  ENFILE: 'too many open files on this machine',
  ENOMEM: 'out of memory',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a file is in place of a folder',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'it already exists',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'the symbolic link refers to itself',
  EIO: 'the disk reported an error',
  EBUSY: 'it is in use',
};

/** Returns why the system rejected an operation, as text after a colon, or the message of the error. */
export function describeSystemError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const words = typeof code === 'string' ? WORDS[code] : undefined;
  return words ?? (error instanceof Error ? error.message : String(error));
}

/** The innermost cause of an error of `fetch` or of a socket, which wrap the system's error. */
export function rootCause(error: unknown): NodeJS.ErrnoException {
  let cause = error as NodeJS.ErrnoException;
  while (cause.code === undefined && cause.cause instanceof Error) cause = cause.cause;
  // Several addresses of one name were tried.
  return cause instanceof AggregateError && cause.errors[0] instanceof Error ? cause.errors[0] : cause;
}

/** Whether the operating system rejected an operation. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}

/** For `catch`: null if the operating system rejected an operation. Throws every other error. */
export function nullIfSystemError(error: unknown): null {
  if (isSystemError(error)) return null;
  throw error;
}

/** Creates a folder and its parents. Resolves with the first folder created. Rejects with the original error. */
export async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    return await mkdir(folder, { recursive: true });
  } catch (error) {
    // On a read-only file system Node reports that the parent is missing; a plain request reports the real reason.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') await mkdir(await firstMissing(folder));
    throw error;
  }
}

/** The topmost folder of the path that does not exist. */
async function firstMissing(folder: string): Promise<string> {
  const above = dirname(folder);
  // Missing, which is what is searched for.
  const stats = await stat(above).catch(() => null);
  return stats !== null || above === folder ? folder : firstMissing(above);
}

/** Writes a file, pipe, or device that the user has named. Removes a file that could be written only in part. */
export async function writeNamedFile(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(content);
  } catch (error) {
    if ((await file.stat()).isFile()) await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Writes a file atomically, and leaves no partial file behind if that fails. */
export async function writeFileAtomically(path: string, content: string): Promise<void> {
  const part = `${path}.part`;
  try {
    await writeFile(part, content);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
