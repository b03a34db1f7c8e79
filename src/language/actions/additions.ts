import { isObject } from '../../base/json.ts';
import { declaresEvaluation } from '../../tasks/reading.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import { freeId } from '../free-id.ts';
import { evaluateFor } from '../suggested-call.ts';
import type { TaskAction } from './action.ts';

/** Number of words of the prompt in an id. */
const ID_WORDS = 5;

/** Actions that add what a task lacks: an id, an evaluate call. */
export function additions(file: TaskFile, row: TaskRow): TaskAction[] {
  const { reading, value, era } = row;
  if (reading === null || !isObject(value)) return [];
  const actions: TaskAction[] = [];
  if (row.id === null && era !== '0.6') {
    actions.push({
      kind: 'add',
      title: 'Add an ID',
      notes: [],
      edits: () => {
        const otherIds = new Set(file.rows.flatMap(({ id }) => (id === null ? [] : [id])));
        return row.edit([{ set: ['id'], value: freeId(idFor(reading.fields.prompt), otherIds) }]);
      },
    });
  }
  const lacksChecks = (era === '0.2' || era === 'rfc') && reading.evaluate.length === 0 && !declaresEvaluation(value);
  const suggestion = lacksChecks ? evaluateFor(reading.fields.env) : undefined;
  if (suggestion !== undefined) {
    const { title, changes, placeholder } = suggestion;
    actions.push({ kind: 'add', title, notes: [], placeholder, edits: () => row.edit(changes) });
  }
  return actions;
}

/** `Buy the red bag.` → `buy-the-red-bag` */
function idFor(prompt: string | null): string {
  const words = (prompt ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const id = words.slice(0, ID_WORDS).join('-').slice(0, 60);
  return id === '' || /^\d+$/.test(id) ? `task${id === '' ? '' : `-${id}`}` : id;
}
