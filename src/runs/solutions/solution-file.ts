import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { taskName } from '../../tasks/name.ts';
import type { Task } from '../../tasks/task.ts';

/** Path of the task's solution, `<id>.actions` next to the task file; null if the id is not a valid file name. */
export function solutionPath(task: Pick<Task, 'file' | 'id' | 'index'>): string | null {
  const name = `${taskName(task)}.actions`;
  // An id may contain a path, but a solution is always in the folder of the task file.
  return /[/\\\0]/.test(name) || name === '...actions' ? null : join(dirname(task.file), name);
}

/** Finds the solutions of many tasks. Each folder is listed once. */
export class SolutionFolders {
  readonly #names = new Map<string, ReadonlySet<string>>();

  /** Path of the task's solution; null if it does not exist. */
  of(task: Pick<Task, 'file' | 'id' | 'index'>): string | null {
    const folder = dirname(task.file);
    let names = this.#names.get(folder);
    if (names === undefined) {
      names = solutionNames(folder);
      this.#names.set(folder, names);
    }
    if (names.size === 0 || !names.has(comparable(`${taskName(task)}.actions`))) return null;
    return solutionOf(task);
  }
}

function solutionNames(folder: string): ReadonlySet<string> {
  try {
    return new Set(
      readdirSync(folder)
        .map(comparable)
        .filter((name) => name.endsWith('.actions')),
    );
  } catch {
    // The folder cannot be listed, so nothing in it can be read either.
    return new Set();
  }
}

/** Some file systems ignore case and Unicode normalization. */
function comparable(name: string): string {
  return name.normalize().toLowerCase();
}

/** Path of the task's solution; null if it does not exist. */
export function solutionOf(task: Pick<Task, 'file' | 'id' | 'index'>): string | null {
  const path = solutionPath(task);
  return path !== null && existsSync(path) ? path : null;
}
