/** Whether an error of the file system says that nothing is there: nothing of that name, or a file where a folder should be. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** For `.catch`: null where nothing is there; what else is wrong is thrown on. */
export function absent(error: unknown): null {
  if (isAbsent(error)) return null;
  throw error;
}
