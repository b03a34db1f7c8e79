import type { Position } from '../../base/range.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import type { TaskAction } from './action.ts';
import { additions } from './additions.ts';
import { conversions } from './convert.ts';
import { spellingActions } from './spellings.ts';
import { isWrappable, wrapInSet } from './wrap.ts';

/**
 * Returns the refactorings of the task at a position, and of its file.
 * @param text returns the text of the file, without a byte order mark
 */
export function actionsAt(file: TaskFile, position: Position, text: () => string): TaskAction[] {
  const row = file.rowAt(position);
  if (row === undefined) return [];
  const python = file.format === 'python';
  const actions = [...spellingActions(row, position, python), ...additions(file, row)];
  // In Python, another era is another class to import: more than the task would change.
  if (!python) actions.push(...conversions(row));
  if (isWrappable(file)) {
    const name = setName(file.file);
    actions.push({
      kind: 'set',
      title: 'Wrap in a task set',
      notes: [],
      placeholder: name,
      edits: () => wrapInSet(file, text(), name),
    });
  }
  return actions;
}

/** `/shop/checkout.tasks.json` → `checkout` */
function setName(path: string): string {
  const base = path.split(/[/\\]/).at(-1) ?? '';
  return base.replace(/\.(?:json|ya?ml)$/i, '').replace(/\.(?:task|tasks|taskset)$/i, '');
}
