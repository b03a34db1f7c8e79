import type { Path } from '../../base/path.ts';
import type { Position, Range } from '../../base/range.ts';
import type { Work } from '../../base/slices.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import type { CustomTaskName, CustomTaskNames } from '../../functions/user/custom-tasks.ts';
import type { DescribedTask } from '../../functions/user/python/registrations.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import { customTaskAt } from '../custom-task.ts';
import { CUSTOM } from '../findings/registrations.ts';
import { textRange, within } from '../text-range.ts';

/** A task that code registers, with all places of its id. */
export interface RegisteredId {
  /** The id as written at the position where it was found. */
  readonly id: string;
  /** The range at that position without quotes; undefined if that is the name of the class. */
  readonly range: Range | undefined;
  /** The class that tasks refer to; undefined if the code only describes the task, or another class has its name. */
  readonly class: CustomTaskName | undefined;
  /** The registration of the class and its description. */
  readonly places: readonly IdPlace[];
}

/** An id in code, with or without `custom/`. */
export interface IdPlace {
  readonly id: string;
  /** Absolute path. */
  readonly file: string;
  /** Without quotes. */
  readonly range: Range;
}

/** A task that refers to a class. */
export interface IdUse {
  readonly row: TaskRow;
  readonly path: Path;
  /** Without quotes. */
  readonly range: Range;
}

/** The paths where a task names a class. */
const NAME_PATHS: readonly Path[] = [['gym', 'task_name'], ['task_name']];

/** The class that a task names at a position, and the range of the name without quotes. */
export function customTaskNamedAt(
  row: TaskRow,
  own: UserFunctions,
  position: Position,
): { readonly task: CustomTaskName; readonly range: Range } | undefined {
  return namesIn(row, own).find(({ range }) => within(range, position));
}

/** The registered id at a position in a task file. */
export function registeredIdInTask(file: TaskFile, own: UserFunctions, position: Position): RegisteredId | undefined {
  const row = file.rowAt(position);
  const match = row === undefined ? undefined : customTaskNamedAt(row, own, position);
  if (match === undefined || own.customTasks === undefined) return undefined;
  const { task, range } = match;
  return { id: task.name, range, class: task, places: placesOf(task, own.customTasks) };
}

/**
 * The registered id at a position in code: in a registration, or at the name of the class.
 * @param names what the code of its folder registers
 */
export function registeredIdInCode(file: string, position: Position, names: CustomTaskNames): RegisteredId | undefined {
  const isAt = (range: Range): boolean => within(range, position);
  for (const description of names.descriptions ?? []) {
    if (description.file !== file || !isAt(description.idRange)) continue;
    const task = names.tasks.get(classNameOf(description.id));
    const place = placeOf(description);
    const places = task === undefined ? [] : placesOf(task, names);
    const isLinked = places.some((one) => isSame(one, place));
    const { id, range } = place;
    return isLinked ? { id, range, class: task, places } : { id, range, class: undefined, places: [place] };
  }
  for (const task of [...names.tasks.values(), ...(names.doubles ?? [])]) {
    if (task.file !== file || !(isAt(task.nameRange) || isAt(task.range))) continue;
    // Tasks refer to the first registration of a name.
    const isFirst = names.tasks.get(task.name) === task;
    return {
      id: task.name,
      range: isAt(task.nameRange) ? task.nameRange : undefined,
      class: isFirst ? task : undefined,
      places: isFirst ? placesOf(task, names) : [placeOf(task)],
    };
  }
  return undefined;
}

/** Finds the tasks of a file that refer to a class, in document order. Yields after each row. */
export function* usesOfClass(target: CustomTaskName, file: TaskFile, own: UserFunctions): Work<IdUse[]> {
  const uses: IdUse[] = [];
  // A class is known to the tasks next to it only.
  if (own.customTasks?.tasks.get(target.name)?.file !== target.file) return uses;
  for (const row of file.rows) {
    for (const { task, path, range } of namesIn(row, own)) {
      if (task.name === target.name) uses.push({ row, path, range });
    }
    yield;
  }
  return uses;
}

/** The name of the class that a description with this id describes. */
export function classNameOf(id: string): string {
  return id.startsWith(CUSTOM) ? id.slice(CUSTOM.length) : id;
}

function namesIn(
  row: TaskRow,
  own: UserFunctions,
): { readonly task: CustomTaskName; readonly path: Path; readonly range: Range }[] {
  return NAME_PATHS.flatMap((path) => {
    const task = customTaskAt(path, row.value, own);
    const range = task === undefined ? undefined : textRange(row, path, task.name);
    return task === undefined || range === undefined ? [] : { task, path, range };
  });
}

/** The places of a class: its registration and its first description, which can share a literal. */
function placesOf(task: CustomTaskName, { descriptions = [] }: CustomTaskNames): readonly IdPlace[] {
  const own = placeOf(task);
  const description = descriptions.find(({ id }) => classNameOf(id) === task.name);
  if (description === undefined) return [own];
  const other = placeOf(description);
  return isSame(own, other) ? [own] : [own, other];
}

function placeOf(one: CustomTaskName | DescribedTask): IdPlace {
  return 'config' in one
    ? { id: one.id, file: one.file, range: one.idRange }
    : { id: one.name, file: one.file, range: one.nameRange };
}

function isSame(a: IdPlace, b: IdPlace): boolean {
  const [{ start: from }, { start: to }] = [a.range, b.range];
  return a.file === b.file && from.line === to.line && from.character === to.character;
}
