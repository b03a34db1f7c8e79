import { basename, dirname, extname, sep } from 'node:path';
import type { TaskReference } from '../tasks/reference.ts';

/** What pages, own functions and agents are made of. */
const AROUND = new Set(['.html', '.htm', '.css', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.py']);

/**
 * Whether a task may go otherwise once a file was saved: its solution, or a page or a module in its folder or below. Of
 * its own file its text tells.
 */
export function concerns(saved: string, task: Pick<TaskReference, 'file' | 'name'>): boolean {
  const folder = dirname(task.file);
  if (extname(saved) === '.actions') return dirname(saved) === folder && basename(saved) === `${task.name}.actions`;
  return AROUND.has(extname(saved).toLowerCase()) && saved.startsWith(folder + sep);
}
