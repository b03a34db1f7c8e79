import { isAbsolute } from 'node:path';
import { kindAt } from '../../base/file-kind.ts';
import { didYouMean, nearestWord } from '../../base/nearest.ts';
import { parseAddress, selectorOf, selectRow } from '../../tasks/address.ts';
import { findTaskFiles, loadFoundTaskFile, loadTaskFile, TaskFileError } from '../../tasks/discover.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import { asUsageError, UsageError } from '../usage-error.ts';
import { displayAddress, displayPath } from './display-path.ts';
import { findOwnTasks } from './own-tasks.ts';
import { type RegisteredTask, readRegistry } from './registry.ts';
import { type LoadedFile, type SelectedTask, UserFunctionNames } from './selected-task.ts';

const LOOKED_FOR =
  'In folders, Taskwright reads *.task.json, *.tasks.json, *.taskset.json, and tasks.json with tasks, also as .yaml, .yml, and .jsonl, and Python files with tasks of HUD. It skips files that .gitignore lists.';

/** Selected tasks of one file. */
interface SelectedRows extends LoadedFile {
  readonly rows: readonly TaskRow[];
}

/** The tasks that the addresses of a command line select. */
export interface Selection {
  /** As given. */
  readonly addresses: readonly string[];
  readonly files: readonly LoadedFile[];
  /** In the order of the addresses. */
  readonly selections: readonly SelectedRows[];
}

/** The selected tasks one by one. */
export function selectedTasks({ selections }: Selection): readonly SelectedTask[] {
  return selections.flatMap(({ file, userFunctions, rows }) => rows.map((row) => ({ file, userFunctions, row })));
}

/**
 * Selects all tasks in files and folders, and single tasks by address; each task once. Rejects with `UsageError` if an
 * address selects nothing.
 */
export async function select(addresses: readonly string[], cwd: string): Promise<Selection> {
  if (addresses.length === 0) throw new UsageError('no_path', 'Specify a task (FILE#ID), a task file, or a folder.');
  const files = new Map<string, LoadedFile>();
  const selections: SelectedRows[] = [];
  const selectedRows = new Map<LoadedFile, Set<TaskRow> | 'all'>();
  const userFunctions = new UserFunctionNames();
  const load = async (path: string, isFound = false): Promise<LoadedFile> => {
    const before = files.get(path);
    if (before !== undefined) return before;
    const file = isFound ? await loadFoundTaskFile(path) : await loadTaskFile(path);
    const loadedFile = { file, userFunctions: await userFunctions.beside(path) };
    files.set(path, loadedFile);
    return loadedFile;
  };
  const addAll = (from: LoadedFile): void => {
    const before = selectedRows.get(from);
    if (before === 'all') return;
    const { rows } = from.file;
    selections.push({ ...from, rows: before === undefined ? rows : rows.filter((row) => !before.has(row)) });
    selectedRows.set(from, 'all');
  };
  const add = (from: LoadedFile, row: TaskRow): void => {
    const before = selectedRows.get(from);
    if (before === undefined) selectedRows.set(from, new Set([row]));
    else if (before === 'all' || before.has(row)) return;
    else before.add(row);
    selections.push({ ...from, rows: [row] });
  };
  try {
    for (const text of addresses) {
      const address = await parseAddress(text, cwd);
      if (address.selector === null) {
        if (mayBeId(text) && (await kindAt(address.file)) === 'absent') {
          const task = await registeredTask(text, address.file, cwd, userFunctions);
          const { file, row } = task;
          // A task in code is the only row of a file that cannot be loaded.
          const key = task.inCode ? `${file.file}#${row.name}` : file.file;
          const from = files.get(key) ?? (task.inCode ? task : await load(key, true));
          files.set(key, from);
          const current = from.file.rows[row.index];
          if (current !== undefined) add(from, current);
          continue;
        }
        for (const path of await findTaskFiles([address.file])) {
          addAll(await load(path, path !== address.file));
        }
        continue;
      }
      const from = await load(address.file);
      const row = selectRow(from.file, address.selector);
      // The file has no rows, so it is broken: validation reports that.
      if (row !== undefined) add(from, row);
      else if (from.file.rows.length > 0) throw unknownTask(from.file, address.selector, cwd);
    }
  } catch (error) {
    throw asUsageError(error, TaskFileError);
  }
  return { addresses, files: [...files.values()], selections };
}

/** The error for a selection in which no task was found: what was looked for, and what to do. */
export function noTasks({ addresses, files }: Pick<Selection, 'addresses' | 'files'>): UsageError {
  const places = addresses.map((address) => `“${address}”`).join(', ');
  const hint = files.length > 0 ? 'To see why, run taskwright validate.' : LOOKED_FOR;
  return new UsageError('no_tasks', `No tasks found in ${places}. ${hint}`);
}

/** Whether a text can be the id of a registered task. Others are paths. */
export function mayBeId(text: string): boolean {
  return !isAbsolute(text) && !text.startsWith('.') && !/\.(?:jsonl?|ya?ml|py)$/i.test(text);
}

/** The task with a registered id in the current folder. Rejects if there is no such task, or more than one. */
async function registeredTask(
  id: string,
  path: string,
  cwd: string,
  userFunctions: UserFunctionNames,
): Promise<RegisteredTask> {
  const { tasks, inFiles } = await readRegistry([cwd], userFunctions);
  const registeredTasks = tasks.filter((one) => one.id === id);
  const own = registeredTasks.length > 0 ? { tasks: [], notes: [] } : await findOwnTasks(id, inFiles);
  const [task, ...others] = [...registeredTasks, ...own.tasks];
  if (task === undefined) {
    const ids = tasks.map((one) => one.id);
    const near = didYouMean(nearestWord(id, ids)) || `, and no task is registered as “${id}”.`;
    const message = [`File or folder not found: ${path}${near}`, ...own.notes].join(' ');
    throw new UsageError('file_not_found', message);
  }
  if (others.length > 0) {
    const places = [task, ...others].map(
      ({ file, row }) => `${displayPath(file.file, cwd)}:${row.range.start.line + 1}`,
    );
    const hint = task.inCode
      ? 'Rename one of them.'
      : `Use the address of one of them, such as ${displayAddress(task.file, task.row, cwd)}.`;
    throw new UsageError('ambiguous_task', `Several tasks have the id “${id}”: ${places.join(', ')}. ${hint}`);
  }
  return task;
}

function unknownTask(file: TaskFile, selector: string, cwd: string): UsageError {
  const names = file.rows.slice(0, 10).map((row) => selectorOf(file, row));
  const more = file.rows.length > names.length ? ', …' : '';
  const path = displayPath(file.file, cwd);
  return new UsageError(
    'unknown_task',
    `There is no task “${selector}” in ${path}. It contains ${names.join(', ')}${more}.`,
  );
}
