import type { Position, Range } from '../../base/range.ts';
import type { TextEdit } from '../../tasks/change.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import { within } from '../text-range.ts';
import { idProblem } from './new-task.ts';

/** An id that can be renamed. */
export interface RenamedId {
  readonly row: TaskRow;
  readonly id: string;
  /** Range of the id in the text, quotes included. */
  readonly range: Range;
}

/** The id at a position; undefined if there is none, or it does not name a task. */
export function idAt(file: TaskFile, position: Position): RenamedId | undefined {
  const row = file.rowAt(position);
  // In HUD 0.6 the id names a template, which is code.
  if (row === undefined || row.id === null || row.era === '0.6') return undefined;
  const range = row.rangeOf(['id']);
  return range !== undefined && within(range, position) ? { row, id: row.id, range } : undefined;
}

/** Edits that change the id of a task, or why that is not possible. */
export function renameId(
  file: TaskFile,
  { row, id }: RenamedId,
  to: string,
): { readonly edits: readonly TextEdit[] } | { readonly refusal: string } {
  const otherIds = new Set(file.rows.flatMap((other) => (other === row || other.id === null ? [] : [other.id])));
  const problem = to === id ? undefined : idProblem(to, otherIds);
  if (problem !== undefined) return { refusal: problem };
  const edits = row.edit([{ set: ['id'], value: to }]);
  return edits === null ? { refusal: 'This task has syntax errors. Fix them first' } : { edits };
}
