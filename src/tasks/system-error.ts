import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What the usual failures of files and folders mean, by their code (errno(3)). */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file is too large',
  EMFILE: 'too many open files; raise the limit of this process (ulimit -n)',
  ENFILE: 'too many open files on this machine',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a file stands where a folder is needed',
  EISDIR: 'it is a folder',
  EEXIST: 'it already exists',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'it is a link that leads back to itself',
  EIO: 'the disk reported an error',
  EBUSY: 'it is in use',
};

/** Why the system refused something, to stand after a colon; the error's own message where it is none of the usual. */
export function describeSystemError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const known = typeof code === 'string' ? WORDS[code] : undefined;
  return known ?? (error instanceof Error ? error.message : String(error));
}

/** Whether the operating system refused something. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}

/** Makes a folder and those above it. Resolves with the first one made, if any. Rejects with what was refused. */
export async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    return await mkdir(folder, { recursive: true });
  } catch (error) {
    // On a read-only file system Node reports that the parent is missing; a plain request tells why it is.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') await mkdir(await firstMissing(folder));
    throw error;
  }
}

/** The highest folder of the path that does not exist. */
async function firstMissing(folder: string): Promise<string> {
  const above = dirname(folder);
  const found = await stat(above).catch(() => null);
  return found !== null || above === folder ? folder : firstMissing(above);
}

/** Writes a file that appears whole or not at all, and leaves nothing behind where that fails. */
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
