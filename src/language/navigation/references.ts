import { getOrCreate } from '../../base/get-or-create.ts';
import type { Range } from '../../base/range.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import { byPosition, type TaskFile, type TaskRow } from '../../tasks/rows.ts';
import {
  functionReferenceRange,
  functionReferences,
  type ResolvedFunction,
  resolveFunction,
  sameFunction,
} from './function-references.ts';

/** A location where a task calls a function. */
export interface Use {
  /** Absolute path. */
  readonly file: string;
  readonly range: Range;
}

/**
 * Finds every call of a function in a file, in document order. Yields after each row.
 * @param own exports of the functions files beside the file
 * @param rows all rows of the file by default
 */
export function* usesOf(
  target: ResolvedFunction,
  file: TaskFile,
  own: UserFunctions,
  rows: readonly TaskRow[] = file.rows,
): Generator<undefined, Use[], undefined> {
  const uses: Use[] = [];
  const meanings = new Map<string, ResolvedFunction>();
  for (const row of rows) {
    const rowUses: Use[] = [];
    for (const reference of functionReferences(row)) {
      const meaning = getOrCreate(meanings, reference.name, () => resolveFunction(reference.name, own));
      if (!sameFunction(target, meaning)) continue;
      const range = functionReferenceRange(row, reference);
      if (range !== undefined) rowUses.push({ file: file.file, range });
    }
    uses.push(...rowUses.sort(byPosition));
    yield;
  }
  return uses;
}

/** Counts the tasks of a file that call each user-defined function, by name. Yields after each row. */
export function* userUseCounts(
  file: TaskFile,
  own: UserFunctions,
): Generator<undefined, ReadonlyMap<string, number>, undefined> {
  const counts = new Map<string, number>();
  for (const row of file.rows) {
    const names = new Set(functionReferences(row).map(({ name }) => name));
    for (const name of names) if (own.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
    yield;
  }
  return counts;
}
