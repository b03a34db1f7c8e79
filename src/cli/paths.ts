import { isAbsolute, relative } from 'node:path';

/** A path as a person reads it best: from the current folder where it is inside, else whole. */
export function shownPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return below === '' || below.startsWith('..') || isAbsolute(below) ? path : below;
}
