import type { Path } from '../tasks/path.ts';
import type { Problem } from '../tasks/problem.ts';
import type { TaskRow } from '../tasks/rows.ts';

/** Something that a row calls itself and that no other row should. */
export interface Name {
  readonly kind: 'id';
  readonly name: string;
  /** Where it stands in the row. */
  readonly path: Path;
}

/**
 * What a row calls itself, from what is kept of it (`id`, `era`): it is asked again when the row is gone from the file. In HUD 0.6 the id names a template, and many tasks may share it.
 */
export function namesOf(row: TaskRow): readonly Name[] {
  const { id } = row;
  return id === null || row.era === '0.6' ? NONE : [{ kind: 'id', name: id, path: ID }];
}

/** @param line zero-based, of the first row of the file with that name */
export function repeated({ name, path }: Name, line: number): Problem {
  return {
    path,
    severity: 'warning',
    code: 'duplicate-id',
    message: `The id “${name}” stands in line ${line + 1} already; an address by id finds that task only`,
  };
}

const NONE: readonly Name[] = [];
const ID: Path = ['id'];
