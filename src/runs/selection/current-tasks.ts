import { basename } from 'node:path';
import { getOrCreate } from '../../base/get-or-create.ts';
import { isFunctionsFileName } from '../../functions/user/files.ts';
import { selectRow } from '../../tasks/address.ts';
import { loadTaskFile, TaskFileError } from '../../tasks/discover.ts';
import { taskName } from '../../tasks/name.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import type { Task } from '../../tasks/task.ts';
import { findOwnTasks, recordedOwnTask, type WithServer } from './own-tasks.ts';
import { type RegisteredTask, tasksInCode } from './registry.ts';
import { UserFunctionNames } from './selected-task.ts';

/** Finds the tasks of recorded runs as they are now. Each file is read once. */
export class CurrentTasks {
  readonly #files = new Map<string, Promise<TaskFile>>();
  readonly #inCode = new Map<string, Promise<readonly RegisteredTask[]>>();
  readonly #userFunctions = new UserFunctionNames();
  readonly #withServer: WithServer | null;

  /** @param withServer reaches environments without an address for their own tasks; null uses the recorded tasks */
  constructor(withServer: WithServer | null = null) {
    this.#withServer = withServer;
  }

  /**
   * The row with the recorded file and id: in a task file, of a task that code registers, or of an own task of an
   * environment in the file. Of several with the id, the one at the recorded index. Rejects with `TaskFileError` if the file
   * cannot be read, or the server of the environment does not answer.
   */
  async row(
    recordedTask: Pick<Task, 'file' | 'id' | 'index'> & Partial<Pick<Task, 'env' | 'prompt'>>,
  ): Promise<TaskRow | undefined> {
    const { file, id, index, env, prompt } = recordedTask;
    const name = taskName({ id, index });
    if (file.endsWith('.py') || isFunctionsFileName(basename(file))) {
      const inCode = await getOrCreate(this.#inCode, file, () => tasksInCode([file], this.#userFunctions));
      const task = inCode.find((one) => one.file.file === file && one.row.name === name);
      if (task !== undefined) return task.row;
    }
    const read = await getOrCreate(this.#files, file, () => loadTaskFile(file));
    const sameIndex = read.rows[index];
    const row = sameIndex?.name === name ? sameIndex : selectRow(read, name);
    if (row !== undefined) return row;
    const userFunctions = await this.#userFunctions.beside(file);
    const inFile = read.rows.map((row) => ({ file: read, row, userFunctions }));
    const { tasks, notes } = await findOwnTasks(name, inFile, this.#withServer);
    // It may exist on a server that does not answer now.
    if (tasks.length === 0 && notes.length > 0) throw new TaskFileError('file_unreadable', file, notes.join(' '));
    const asRecorded =
      env === undefined || prompt === undefined ? undefined : recordedOwnTask({ id: name, env, prompt }, inFile);
    return (tasks[0] ?? asRecorded)?.row;
  }
}
