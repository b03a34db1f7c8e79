import { getOrCreate } from '../../base/get-or-create.ts';
import { objectOf, textOf } from '../../base/json.ts';
import type { Range } from '../../base/range.ts';
import { shorten } from '../../tasks/label.ts';
import { printCall } from '../../tasks/print.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import { functionReferenceRange, functionReferences } from './function-references.ts';

/** An entry of the outline: a task, one of its calls, or a range of tasks in a very large file. */
export interface OutlineEntry {
  readonly kind: 'tasks' | 'task' | 'setup' | 'evaluate';
  readonly name: string;
  readonly detail: string;
  readonly range: Range;
  /** Inside `range`. */
  readonly selection: Range;
  readonly children: readonly OutlineEntry[];
}

/** Above this number of tasks, the outline omits calls, because each range costs a syntax tree. */
const WITH_CALLS = 1000;
/** Above this number of tasks, the outline groups them, because VS Code processes all entries in one go. */
const WITH_TASKS = 3000;
const IN_RANGE = 100;
const DETAIL = 120;

/** The tasks of a file and their calls. Yields after each row. */
export function* outline(file: TaskFile): Generator<undefined, OutlineEntry[], undefined> {
  if (file.rows.length > WITH_TASKS) return yield* ranges(file.rows);
  const entries: OutlineEntry[] = [];
  const hasCalls = file.rows.length <= WITH_CALLS;
  for (const row of file.rows) {
    const { range } = row;
    entries.push({
      kind: 'task',
      ...headOf(row),
      range,
      selection: (hasCalls ? row.rangeOf(['id']) : undefined) ?? { start: range.start, end: range.start },
      children: hasCalls ? calls(row) : [],
    });
    yield;
  }
  return entries;
}

function* ranges(rows: readonly TaskRow[]): Generator<undefined, OutlineEntry[], undefined> {
  const entries: OutlineEntry[] = [];
  for (let from = 0; from < rows.length; from += IN_RANGE) {
    const to = Math.min(from + IN_RANGE, rows.length) - 1;
    const [first, last] = [rows[from], rows[to]];
    if (first === undefined || last === undefined) break;
    const { start } = first.range;
    entries.push({
      kind: 'tasks',
      name: from === to ? String(from) : `${from}–${to}`,
      detail: [...new Set([first.name, last.name])].join(' … '),
      range: { start, end: last.range.end },
      selection: { start, end: start },
      children: [],
    });
    yield;
  }
  return entries;
}

function calls(row: TaskRow): OutlineEntry[] {
  const { reading } = row;
  if (reading === null) return [];
  const read = [...reading.setup, ...reading.evaluate];
  return functionReferences(row).flatMap((reference, index) => {
    const range = row.rangeOf(reference.call);
    const call = read[index];
    if (range === undefined || call === undefined) return [];
    return [
      {
        kind: reference.phase,
        // VS Code rejects an empty name.
        name: reference.name === '' ? '(no name)' : reference.name,
        detail: shorten(printCall({ function: '', args: [...call.args] }), DETAIL),
        range,
        selection: functionReferenceRange(row, reference) ?? range,
        children: [],
      },
    ];
  });
}

/** A row stays the same object as long as its text does not change. */
const heads = new WeakMap<TaskRow, { readonly label: string | null; readonly detail: string }>();

function headOf(row: TaskRow): { readonly name: string; readonly detail: string } {
  const { label: name, detail } = getOrCreate(heads, row, () => {
    const prompt = promptOf(row);
    const { label } = row;
    // The index of a row can change, and a prompt as the label needs no detail.
    return {
      label: label === row.name && row.id === null ? null : label,
      detail: prompt.startsWith(label.replace(/…$/, '')) ? '' : prompt,
    };
  });
  return { name: name ?? row.name, detail };
}

function promptOf({ value }: TaskRow): string {
  const { prompt, instruction } = objectOf(value);
  const text = textOf(prompt) ?? instruction;
  return typeof text === 'string' ? shorten(text, DETAIL) : '';
}
