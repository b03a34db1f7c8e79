import { isAbsolute, relative } from 'node:path';
import { selectorOf } from '../../tasks/address.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';

/** A path for messages: relative to the current folder if it is inside, otherwise absolute. */
export function displayPath(path: string, cwd: string): string {
  const relativePath = relative(cwd, path);
  return relativePath === '' || relativePath.startsWith('..') || isAbsolute(relativePath) ? path : relativePath;
}

/** The address of a row as `displayPath` writes its file. */
export function displayAddress(file: Pick<TaskFile, 'file' | 'rows'>, row: TaskRow, cwd: string): string {
  return `${displayPath(file.file, cwd)}#${selectorOf(file, row)}`;
}
