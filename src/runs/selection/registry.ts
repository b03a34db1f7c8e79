import type { Dirent } from 'node:fs';
import { dirname, join } from 'node:path';
import { defined } from '../../base/defined.ts';
import { readOrdinaryFile } from '../../base/file-kind.ts';
import { isObject, type Json } from '../../base/json.ts';
import { isResourceExhausted } from '../../base/resource-exhausted.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import type { CustomTaskName } from '../../functions/user/custom-tasks.ts';
import { isFunctionsFileName } from '../../functions/user/files.ts';
import { mayRegister, mayUseRegistry } from '../../functions/user/python/class-files.ts';
import type { DescribedTask } from '../../functions/user/python/registrations.ts';
import { CUSTOM, doubleRegistrations, registrationsOf } from '../../language/findings/registrations.ts';
import { findFiles, findTaskFiles, isRegularFile, loadFoundTaskFile } from '../../tasks/discover.ts';
import type { Finding } from '../../tasks/finding.ts';
import { describedTask } from '../../tasks/read.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import type { SelectedTask, UserFunctionNames } from './selected-task.ts';

/** A task with an id by which it can be run from anywhere in the workspace. */
export interface RegisteredTask extends SelectedTask {
  readonly id: string;
  /** Whether it is code in a file or an environment's own task, and not a row of a task file. */
  readonly inCode: boolean;
}

/** The registry of files and folders. */
export interface Registry {
  /** An id can occur several times. */
  readonly tasks: readonly RegisteredTask[];
  /** All tasks of the task files, with an id or without. */
  readonly inFiles: readonly SelectedTask[];
}

/**
 * The registry of the tasks in files and folders: tasks in task files with an id, task classes as `custom/NAME`, and the
 * tasks that Python files describe with `registry.register`. Nothing is executed.
 */
export async function readRegistry(paths: readonly string[], userFunctions: UserFunctionNames): Promise<Registry> {
  const inFiles: SelectedTask[] = [];
  for (const path of await findTaskFiles(paths)) {
    const file = await loadFoundTaskFile(path);
    const own = await userFunctions.beside(path);
    for (const row of file.rows) inFiles.push({ file, row, userFunctions: own });
  }
  const withId = inFiles.flatMap((task) => {
    const id = idOf(task.row);
    return id === null ? [] : { id, inCode: false, ...task };
  });
  return { tasks: [...withId, ...(await tasksInCode(paths, userFunctions))], inFiles };
}

/** The tasks that code registers, in folders and in the folders of files. */
export async function tasksInCode(
  paths: readonly string[],
  userFunctions: UserFunctionNames,
): Promise<RegisteredTask[]> {
  const tasks: RegisteredTask[] = [];
  for (const folder of await foldersWithCode(paths)) {
    const own = await namesIn(folder, userFunctions);
    for (const one of own.customTasks === undefined ? [] : registrationsOf(own.customTasks)) {
      const file = 'config' in one ? fileOf(one, own.customTasks?.tasks ?? new Map()) : classFile(one);
      const [row] = file.rows;
      if (row !== undefined) tasks.push({ id: one.id, inCode: true, file, row, userFunctions: own });
    }
  }
  return tasks;
}

/** The folders with files that may register tasks in code. */
async function foldersWithCode(paths: readonly string[]): Promise<readonly string[]> {
  return [...new Set((await findFiles(paths, registers)).map((path) => dirname(path)))];
}

function namesIn(folder: string, userFunctions: UserFunctionNames): Promise<UserFunctions> {
  return userFunctions.beside(join(folder, 'tasks.json'));
}

/** Errors for ids that are registered several times in code, at each place. */
export async function findDoubleRegistrations(
  paths: readonly string[],
  userFunctions: UserFunctionNames,
): Promise<readonly Finding[]> {
  const folders = await foldersWithCode(paths);
  const names = await Promise.all(folders.map((folder) => namesIn(folder, userFunctions)));
  return doubleRegistrations(names.flatMap(({ customTasks }) => customTasks ?? []));
}

function idOf({ id, value }: TaskRow): string | null {
  if (id !== null) return id;
  const { task_id, name } = isObject(value) ? value : {};
  return typeof task_id === 'string' ? task_id : typeof name === 'string' ? name : null;
}

/** The task of a class. */
function classFile({ name, file, range }: CustomTaskName): TaskFile {
  return describedTask(file, range.start, {
    id: name,
    gym: { type: 'browsergym', benchmark: 'custom', task_name: name },
  });
}

/** The task of a registration; that of a class if one has its name and the registration has no page. */
function fileOf({ id, file, range, config }: DescribedTask, classes: ReadonlyMap<string, unknown>): TaskFile {
  const { goal, ...more } = config;
  const name = id.startsWith(CUSTOM) ? id.slice(CUSTOM.length) : id;
  const isClass = classes.has(name) && !['start_url', 'html', 'html_file'].some((key) => key in config);
  const row: Record<string, Json> = { id, ...defined({ instruction: goal }), ...more };
  return describedTask(file, range.start, isClass ? { ...row, benchmark: 'custom', task_name: name } : row);
}

/** Whether a file may register a task in code. */
async function registers(path: string, entry: Dirent): Promise<boolean> {
  const isPython = path.endsWith('.py');
  if (!(isPython || isFunctionsFileName(entry.name)) || !(await isRegularFile(entry, path))) return false;
  try {
    const text = (await readOrdinaryFile(path)).toString('utf8');
    return isPython ? mayRegister(text) || mayUseRegistry(text) : text.includes('registerCustomTask');
  } catch (error) {
    if (isResourceExhausted(error)) throw error;
    // A file that cannot be read registers nothing.
    return false;
  }
}
