import type { Path } from '../../base/path.ts';
import { newProblem, type Problem, warning } from '../../tasks/problem.ts';
import type { TaskRow } from '../../tasks/rows.ts';
import type { Era } from '../../tasks/task.ts';

/** A name of a row that must be unique. */
export interface Name {
  readonly kind: 'id' | 'slug';
  readonly name: string;
  /** Its path in the row. */
  readonly path: Path;
  /** HUD 0.6 rejects a file in which two tasks have the same slug. */
  readonly isRejected?: true;
}

const NONE: readonly Name[] = [];
const ID: Path = ['id'];
const SLUG: Path = ['slug'];

/** Whether ids are names. In HUD 0.6 the id names a template, which many tasks can share. */
export function hasNamesById(era: Era): boolean {
  return era !== '0.6';
}

/** The slug that no other task may have. HUD compares the tasks that a file has when it is imported. */
export function uniqueSlug({ slug, isLocal }: Pick<TaskRow, 'slug' | 'isLocal'>): string | null {
  return isLocal ? null : slug;
}

/**
 * Returns the names of a row from cached properties only (`id`, `slug`, `era`), because it is called again after the
 * row was removed from the file.
 */
export function namesOf(row: TaskRow): readonly Name[] {
  const { id, era } = row;
  const slug = uniqueSlug(row);
  if (!hasNamesById(era)) return slug === null ? NONE : [{ kind: 'slug', name: slug, path: SLUG, isRejected: true }];
  const names: Name[] = id === null ? [] : [{ kind: 'id', name: id, path: ID }];
  if (slug !== null) names.push({ kind: 'slug', name: slug, path: SLUG });
  return names.length === 0 ? NONE : names;
}

export function severityOfDuplicate({ isRejected }: Name): 'error' | 'warning' {
  return isRejected ? 'error' : 'warning';
}

/** @param line zero-based line of the first row with that name */
export function duplicateProblem(duplicate: Name, line: number): Problem {
  const { kind, name, path, isRejected } = duplicate;
  if (kind === 'id') {
    const message = `The id “${name}” is already used in line ${line + 1}. An address with this id selects only that task`;
    return warning('duplicate-id', path, message);
  }
  const message = isRejected
    ? `HUD 0.6.21 rejects two tasks with the slug “${name}”, which is already used in line ${line + 1}. Add a unique "slug"`
    : `The slug “${name}” is already used in line ${line + 1}. HUD 0.5 finds and syncs tasks by slug`;
  return newProblem(severityOfDuplicate(duplicate), 'duplicate-slug', path, message);
}
