import { basename, dirname, extname, sep } from 'node:path';
import type { TaskReference } from '../../presentation/tasks/reference.ts';
import { solutionName } from '../../runs/solutions/solution-file.ts';

/** File extensions of pages, user-defined functions, and agents. */
const AROUND = new Set(['.html', '.htm', '.css', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.py']);

/**
 * Whether saving a file may change the result of a task: its solution, or a page or module in its folder or below. A save
 * of the task file itself is detected by comparing the text of the task.
 */
export function affectsTask(savedPath: string, task: Pick<TaskReference, 'file' | 'name'>): boolean {
  const folder = dirname(task.file);
  if (extname(savedPath) === '.actions')
    return dirname(savedPath) === folder && basename(savedPath) === solutionName(task.name);
  return AROUND.has(extname(savedPath).toLowerCase()) && savedPath.startsWith(folder + sep);
}
