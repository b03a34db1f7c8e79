import { isAbsolute, relative } from 'node:path';

/** A path for messages: relative to the current folder if it is inside, otherwise absolute. */
export function displayPath(path: string, cwd: string): string {
  const relativePath = relative(cwd, path);
  return relativePath === '' || relativePath.startsWith('..') || isAbsolute(relativePath) ? path : relativePath;
}
