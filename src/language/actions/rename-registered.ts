import type { Work } from '../../base/slices.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import type { CustomTaskNames } from '../../functions/user/custom-tasks.ts';
import type { TextEdit } from '../../tasks/change.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import { CUSTOM, registrationsOf } from '../findings/registrations.ts';
import { classNameOf, type RegisteredId, usesOfClass } from '../navigation/registered-ids.ts';
import { idProblem } from './new-task.ts';

/** Edits of one file. */
export interface FileEdits {
  /** Absolute path. */
  readonly file: string;
  readonly edits: readonly TextEdit[];
}

/** A renamed id. */
export interface RegisteredRename {
  /** The new name of the class. */
  readonly name: string;
  readonly files: readonly FileEdits[];
}

/**
 * Edits that change the id of a task that code registers: in the code, and in the tasks that refer to its class. Or why
 * that is not possible. Yields after each row.
 * @param names what the code of its folder registers
 * @param files the task files of the workspace
 */
export function* renameRegistered(
  target: RegisteredId,
  to: string,
  names: CustomTaskNames,
  files: readonly { readonly file: TaskFile; readonly userFunctions: UserFunctions }[],
): Work<RegisteredRename | { readonly refusal: string }> {
  const isDescription = target.class === undefined && target.places.some(({ id }) => id.includes('/'));
  // The part before the first “/” of a description is the name of an environment.
  const name = isDescription ? to.replace(/^[^/]*\//, '') : classNameOf(to);
  if (to === target.id) return { name, files: [] };
  const problem = idProblem(name, new Set());
  if (problem !== undefined) return { refusal: problem };
  // The text of a literal in any language.
  if (/["'`\\\p{Cc}]|\$\{/u.test(to)) return { refusal: 'The ID cannot contain quotation marks, “\\”, or “${”' };
  const isTaken = registrationsOf(names).some((one) => classNameOf(one.id) === classNameOf(to));
  if (isTaken) return { refusal: `The ID “${to}” already exists` };
  const inCode = target.places.map(({ id: before, file, range }) => {
    const text = isDescription ? to : (before.startsWith(CUSTOM) ? CUSTOM : '') + name;
    return { file, edits: [{ range, text }] };
  });
  if (target.class === undefined) return { name, files: inCode };
  const inTasks: FileEdits[] = [];
  for (const { file, userFunctions } of files) {
    const uses = yield* usesOfClass(target.class, file, userFunctions);
    for (const { row, path } of uses) {
      const edits = row.edit([{ set: path, value: name }]);
      if (edits === null) return { refusal: `The task “${row.name}” has syntax errors. Fix them first` };
      inTasks.push({ file: file.file, edits });
    }
  }
  return { name, files: [...inCode, ...inTasks] };
}
