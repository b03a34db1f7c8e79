import type { Range } from '../../base/range.ts';
import type { Work } from '../../base/slices.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import { CUSTOM } from '../findings/registrations.ts';

/** A task that can be found by its id from anywhere in the workspace. */
export interface WorkspaceSymbol {
  readonly name: string;
  readonly kind: 'task' | 'class';
  /** Absolute path. */
  readonly file: string;
  readonly range: Range;
}

/** More than a user reads. */
const MAX_SYMBOLS = 500;

/**
 * The tasks with an id, the task classes, and the tasks that Python files describe whose id contains the characters of a
 * query in their order.
 * @param folders what code next to the tasks registers, one entry for each folder
 */
export function* workspaceSymbols(
  query: string,
  files: readonly TaskFile[],
  folders: readonly UserFunctions[],
): Work<WorkspaceSymbol[]> {
  const symbols: WorkspaceSymbol[] = [];
  const add = (name: string, kind: WorkspaceSymbol['kind'], file: string, range: () => Range): void => {
    if (symbols.length < MAX_SYMBOLS && matches(query, name)) symbols.push({ name, kind, file, range: range() });
  };
  for (const { customTasks } of folders) {
    for (const { name, file, range } of customTasks?.tasks.values() ?? []) {
      add(CUSTOM + name, 'class', file, () => range);
    }
    for (const { id, file, range } of customTasks?.descriptions ?? []) add(id, 'task', file, () => range);
  }
  for (const file of files) {
    for (const row of file.rows) {
      if (row.id !== null) add(row.id, 'task', file.file, () => row.rangeOf(['id']) ?? row.range);
      if (symbols.length >= MAX_SYMBOLS) return symbols;
      yield;
    }
  }
  return symbols;
}

/** As VS Code does for “Go to Symbol”: the characters in their order, in any case. */
function matches(query: string, name: string): boolean {
  const text = name.toLowerCase();
  let at = 0;
  for (const character of query.toLowerCase()) {
    if (character === ' ') continue;
    at = text.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
