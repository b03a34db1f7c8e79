import { stat } from 'node:fs/promises';

/** Whether a file system error means that the path does not exist, including a file in place of a parent folder. */
export function isNotFound(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** For `.catch`: returns null if the path does not exist, and rethrows other errors. */
export function absent(error: unknown): null {
  if (isNotFound(error)) return null;
  throw error;
}

/** Returns what is at a path. `unknown`: a special file, or one that cannot be inspected; reading it reports why. */
export async function kindAt(path: string): Promise<'file' | 'folder' | 'absent' | 'unknown'> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'unknown';
  } catch (error) {
    return isNotFound(error) ? 'absent' : 'unknown';
  }
}
