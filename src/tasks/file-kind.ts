import { stat } from 'node:fs/promises';

/** Whether an error of the file system says that nothing is there: nothing of that name, or a file where a folder should be. */
export function isNotFound(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** For `.catch`: null where nothing is there; what else is wrong is thrown on. */
export function absent(error: unknown): null {
  if (isNotFound(error)) return null;
  throw error;
}

/** What is at a path. `unknown`: it is neither, or cannot be looked at, and whoever reads it is told why. */
export async function kindAt(path: string): Promise<'file' | 'folder' | 'absent' | 'unknown'> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'unknown';
  } catch (error) {
    return isNotFound(error) ? 'absent' : 'unknown';
  }
}
