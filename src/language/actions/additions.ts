import { environmentKind } from '../../environments/kinds.ts';
import { isObject } from '../../tasks/calls.ts';
import type { Change } from '../../tasks/change.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import { BEGINNINGS, freeId } from '../new-task.ts';
import type { TaskAction } from './action.ts';

/** Words of the prompt that make an id. */
const ID_WORDS = 5;

/** What a task lacks and can be given: an id, an evaluate. */
export function additions(file: TaskFile, row: TaskRow): TaskAction[] {
  const { reading, value } = row;
  if (reading === null || !isObject(value)) return [];
  const actions: TaskAction[] = [];
  const isOurs = row.era === '0.2' || row.era === 'rfc';
  if (row.id === null && row.era !== '0.6') {
    actions.push({
      kind: 'add',
      title: 'Add an id',
      notes: [],
      edits: () => {
        const taken = new Set(file.rows.flatMap(({ id }) => (id === null ? [] : [id])));
        return row.edit([{ set: ['id'], value: freeId(idFor(reading.fields.prompt), taken) }]);
      },
    });
  }
  const check = isOurs ? checkFor(row) : undefined;
  if (check !== undefined && !hasChecks(value)) {
    const change: Change = { set: ['evaluate'], value: [check.function, ...check.args] };
    actions.push({
      kind: 'add',
      title: `Add an evaluate: ${check.function}`,
      notes: [],
      ...(check.args[0] === undefined ? {} : { writeNext: check.args[0] }),
      edits: () => row.edit([change]),
    });
  }
  return actions;
}

/** The likeliest check in the task's environment, with an argument to write over. */
function checkFor(row: TaskRow): (typeof BEGINNINGS)[number]['evaluate'][number] | undefined {
  const found = row.reading === null ? undefined : environmentKind(row.reading.fields.env);
  if (found === undefined || 'unsupported' in found) return undefined;
  return BEGINNINGS.find(({ kind }) => (kind === 'qa') === (found.kind === 'qa'))?.evaluate[0];
}

function hasChecks(task: Readonly<Record<string, unknown>>): boolean {
  return ['evaluate', 'reward_function', 'reward_fn'].some((key) => {
    const value = task[key];
    return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
  });
}

/** `Buy the red bag.` → `buy-the-red-bag` */
function idFor(prompt: string | null): string {
  const words = (prompt ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const id = words.slice(0, ID_WORDS).join('-').slice(0, 60);
  return id === '' || /^\d+$/.test(id) ? `task${id === '' ? '' : `-${id}`}` : id;
}
