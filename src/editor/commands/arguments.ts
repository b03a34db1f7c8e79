import type { TaskReference } from '../../presentation/tasks/reference.ts';
import type { CommandId } from '../names.ts';
import { taskAtCursor } from '../tasks/task-at-cursor.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { chooseTask, type Eligible } from './choose.ts';

/*
 * The arguments of commands. CodeLenses and links pass references, trees pass nodes, and webviews pass the data of the
 * clicked element.
 */

/** A command that package.json contributes. `selection`: all selected nodes of a tree. */
export type Command = (argument: unknown, selection?: unknown) => unknown;
export type Commands = Partial<Record<CommandId, Command>>;

/** Calls `act` with the task of the argument, otherwise of the cursor, otherwise with one that the user selects. */
export async function withTask(
  files: TaskFiles,
  argument: unknown,
  question: string,
  act: (task: TaskReference) => unknown,
  eligible: Eligible = () => true,
): Promise<void> {
  const task = referenceIn(argument) ?? taskAtCursor(files) ?? (await chooseTask(files, question, eligible));
  if (task !== undefined) await act(task);
}

/** CodeLenses and links pass a reference, the tree passes a node. */
export function referenceIn(argument: unknown): TaskReference | undefined {
  const value = isRecord(argument) && isRecord(argument['task']) ? argument['task'] : argument;
  if (!isRecord(value)) return undefined;
  const { file, index, name } = value;
  return typeof file === 'string' && typeof index === 'number' && typeof name === 'string'
    ? { file, index, name }
    : undefined;
}

/** The folder of the recorded run that is passed. */
export function traceDirIn(argument: unknown): string | undefined {
  return textIn(argument, 'traceDir');
}

/** The folder of the job that is passed. */
export function folderIn(argument: unknown): string | undefined {
  return textIn(argument, 'folder');
}

/** The path of a file or a folder node of the Tasks view. */
export function pathIn(node: unknown): string | undefined {
  return isRecord(node) && isRecord(node['file']) ? textIn(node['file'], 'file') : textIn(node, 'path');
}

function textIn(argument: unknown, key: string): string | undefined {
  const text = isRecord(argument) ? argument[key] : undefined;
  return typeof text === 'string' ? text : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
