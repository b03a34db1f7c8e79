import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import { searchBeside } from '../../environments/withheld-search.ts';
import { lookBeside } from '../../functions/user/beside.ts';
import { findControllers } from '../../functions/user/controllers.ts';
import { findCustomTasks } from '../../functions/user/custom-tasks.ts';
import { isFunctionsFileName } from '../../functions/user/files.ts';
import { type CheckedModules, checkModules } from '../../functions/user/modules/broken.ts';
import { addSignatures, readSignatures, type UserSignature } from '../../functions/user/names.ts';
import { isRegularFile, readBytes, TaskFileError } from '../../tasks/discover.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';

/** A task file with the data for diagnosing it. */
export interface LoadedFile {
  readonly file: TaskFile;
  /** User-defined functions next to the file. */
  readonly userFunctions: UserFunctions;
}

/** One selected task. */
export interface SelectedTask extends LoadedFile {
  readonly row: TaskRow;
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

/** Checks the modules in a folder. */
export function checkModulesIn(folder: string): Promise<CheckedModules> {
  return checkModules(folder, readText);
}

/** User-defined functions by folder. Each folder is read once, and no code is executed. */
export class UserFunctionNames {
  readonly #folders = new Map<string, Promise<UserFunctions>>();

  beside(taskFile: string): Promise<UserFunctions> {
    const folder = dirname(taskFile);
    return getOrCreate(this.#folders, folder, () => this.#read(folder));
  }

  async #read(folder: string): Promise<UserFunctions> {
    const names = new Map<string, UserSignature>();
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (!isFunctionsFileName(entry.name) || !(await isRegularFile(entry, path))) continue;
      const text = (await readBytes(path)).toString('utf8');
      addSignatures(names, await readSignatures(text, path, readText));
    }
    const customTasks = await findCustomTasks(folder, readText);
    const controllers = await findControllers(folder, readText);
    const { of: leftOutOf, elsewhereOf } = searchBeside(folder);
    return Object.assign(names, {
      customTasks,
      controllers,
      beside: lookBeside(folder).at,
      leftOutOf,
      elsewhereOf,
    });
  }
}
