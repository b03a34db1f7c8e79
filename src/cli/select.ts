import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { searchBeside } from '../environments/coding/search.ts';
import type { UserFunctions } from '../environments/user-functions.ts';
import { lookBeside } from '../functions/user/beside.ts';
import { findControllers } from '../functions/user/controllers.ts';
import { findCustomTasks } from '../functions/user/custom-tasks.ts';
import { isFunctionsFileName } from '../functions/user/files.ts';
import { addSignatures, readSignatures, type UserSignature } from '../functions/user/names.ts';
import { parseAddress, selectRow } from '../tasks/address.ts';
import {
  findTaskFiles,
  isRegularFile,
  loadFoundTaskFile,
  loadTaskFile,
  readBytes,
  TaskFileError,
} from '../tasks/discover.ts';
import type { TaskFile, TaskRow } from '../tasks/rows.ts';
import { UsageError } from './command.ts';
import { shownPath } from './paths.ts';

/** A task file with the data for diagnosing it. */
interface LoadedFile {
  readonly file: TaskFile;
  /** User-defined functions next to the file. */
  readonly userFunctions: UserFunctions;
}

/** One selected task. */
export interface Selected extends LoadedFile {
  readonly row: TaskRow;
}

/** Selected tasks of one file. */
interface SelectedRows extends LoadedFile {
  readonly rows: readonly TaskRow[];
}

/** The tasks that the addresses of a command line select. */
export interface Selection {
  readonly files: readonly LoadedFile[];
  /** In the order of the addresses. */
  readonly selected: readonly SelectedRows[];
}

/** The selected tasks one by one. */
export function selectedTasks({ selected }: Selection): readonly Selected[] {
  return selected.flatMap(({ file, userFunctions, rows }) => rows.map((row) => ({ file, userFunctions, row })));
}

/**
 * Selects all tasks in files and folders, and single tasks by address; each task once. Rejects with `UsageError` if an
 * address selects nothing.
 */
export async function select(addresses: readonly string[], cwd: string): Promise<Selection> {
  if (addresses.length === 0) throw new UsageError('no_path', 'Specify a task (FILE#ID), a task file, or a folder.');
  const files = new Map<string, LoadedFile>();
  const selected: SelectedRows[] = [];
  const selectedRows = new Map<LoadedFile, Set<TaskRow> | 'all'>();
  const userFunctions = new UserFunctionNames();
  const load = async (path: string, isFound = false): Promise<LoadedFile> => {
    const before = files.get(path);
    if (before !== undefined) return before;
    const file = isFound ? await loadFoundTaskFile(path) : await loadTaskFile(path);
    const loaded = { file, userFunctions: await userFunctions.beside(path) };
    files.set(path, loaded);
    return loaded;
  };
  const addAll = (from: LoadedFile): void => {
    const before = selectedRows.get(from);
    if (before === 'all') return;
    const { rows } = from.file;
    selected.push({ ...from, rows: before === undefined ? rows : rows.filter((row) => !before.has(row)) });
    selectedRows.set(from, 'all');
  };
  const add = (from: LoadedFile, row: TaskRow): void => {
    const before = selectedRows.get(from);
    if (before === undefined) selectedRows.set(from, new Set([row]));
    else if (before === 'all' || before.has(row)) return;
    else before.add(row);
    selected.push({ ...from, rows: [row] });
  };
  try {
    for (const text of addresses) {
      const address = await parseAddress(text, cwd);
      if (address.selector === null) {
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
    if (error instanceof TaskFileError) throw new UsageError(error.code, error.message, { cause: error });
    throw error;
  }
  return { files: [...files.values()], selected };
}

function unknownTask(file: TaskFile, selector: string, cwd: string): UsageError {
  const names = file.rows.slice(0, 10).map((row) => row.name);
  const more = file.rows.length > names.length ? ', …' : '';
  const path = shownPath(file.file, cwd);
  return new UsageError(
    'unknown_task',
    `There is no task “${selector}” in ${path}. It contains ${names.join(', ')}${more}.`,
  );
}

/** Null if the file cannot be read. */
async function readText(path: string): Promise<string | null> {
  try {
    return (await readBytes(path)).toString('utf8');
  } catch (error) {
    if (error instanceof TaskFileError) return null;
    throw error;
  }
}

/** User-defined functions by folder. Each folder is read once, and no code is executed. */
export class UserFunctionNames {
  readonly #folders = new Map<string, Promise<UserFunctions>>();

  beside(taskFile: string): Promise<UserFunctions> {
    const folder = dirname(taskFile);
    let names = this.#folders.get(folder);
    if (names === undefined) {
      names = this.#read(folder);
      this.#folders.set(folder, names);
    }
    return names;
  }

  async #read(folder: string): Promise<UserFunctions> {
    const names = new Map<string, UserSignature>();
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (!isFunctionsFileName(entry.name) || !(await isRegularFile(entry, path))) continue;
      const text = (await readBytes(path)).toString('utf8');
      addSignatures(names, await readSignatures(text, path));
    }
    const customTasks = await findCustomTasks(folder, readText);
    const controllers = await findControllers(folder, readText);
    return Object.assign(names, {
      customTasks,
      controllers,
      beside: lookBeside(folder).at,
      leftOutOf: searchBeside(folder).of,
    });
  }
}
