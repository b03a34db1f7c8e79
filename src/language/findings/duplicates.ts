import type { Path } from '../../tasks/path.ts';
import type { Problem } from '../../tasks/problem.ts';
import type { TaskRow } from '../../tasks/rows.ts';

/** Something that a row calls itself and that no other row should. */
export interface Name {
  readonly kind: 'id' | 'slug';
  readonly name: string;
  /** Where it stands in the row. */
  readonly path: Path;
  /** HUD 0.6 refuses a file in which two tasks have the same slug. */
  readonly refused?: true;
}

const NONE: readonly Name[] = [];
const ID: Path = ['id'];
const SLUG: Path = ['slug'];

/**
 * What a row calls itself, from what is kept of it (`id`, `slug`, `era`): it is asked again when the row is gone from the
 * file. In HUD 0.6 the id names a template, and many tasks may share it.
 */
export function namesOf(row: TaskRow): readonly Name[] {
  const { id, slug, era } = row;
  if (era === '0.6') return slug === null ? NONE : [{ kind: 'slug', name: slug, path: SLUG, refused: true }];
  const names: Name[] = id === null ? [] : [{ kind: 'id', name: id, path: ID }];
  if (slug !== null) names.push({ kind: 'slug', name: slug, path: SLUG });
  return names.length === 0 ? NONE : names;
}

export function severityOfDuplicate({ refused }: Name): 'error' | 'warning' {
  return refused === true ? 'error' : 'warning';
}

/** @param line zero-based, of the first row of the file with that name */
export function repeated(repeatedName: Name, line: number): Problem {
  const { kind, name, path, refused } = repeatedName;
  if (kind === 'id') {
    return {
      path,
      severity: 'warning',
      code: 'duplicate-id',
      message: `The id “${name}” stands in line ${line + 1} already; an address by id finds that task only`,
    };
  }
  return {
    path,
    severity: severityOfDuplicate(repeatedName),
    code: 'duplicate-slug',
    message:
      refused === true
        ? `HUD 0.6.21 refuses two tasks with the slug “${name}”, and the one in line ${line + 1} has it already. Give this one a "slug" of its own`
        : `The slug “${name}” stands in line ${line + 1} already; HUD 0.5 finds and syncs tasks by it`,
  };
}
