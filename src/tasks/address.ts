import { resolve } from 'node:path';
import { kindAt } from '../base/file-kind.ts';
import { getOrCreate } from '../base/get-or-create.ts';
import { escapeControls } from '../base/terminal-text.ts';
import type { TaskFile, TaskRow } from './rows.ts';

/** Location of a task or of a file of tasks. */
export interface Address {
  /** Absolute path. */
  readonly file: string;
  /** What `selectRow` reads; null means the whole file or folder. */
  readonly selector: string | null;
}

/**
 * Splits `file#id`, `file#variable`, or `file#index` at the last `#` whose left side is an existing file.
 * If there is none, the whole text is a path, whether it exists or not.
 */
export async function parseAddress(text: string, folder: string = process.cwd()): Promise<Address> {
  for (let at = text.lastIndexOf('#'); at > 0; at = text.lastIndexOf('#', at - 1)) {
    const file = resolve(folder, text.slice(0, at));
    if ((await kindAt(file)) === 'file') return { file, selector: text.slice(at + 1) };
  }
  return { file: resolve(folder, text), selector: null };
}

/** An index that no name takes: `[0]`. */
const INDEX = /^\[(\d+)\]$/;

/**
 * What selects a row, the strongest first. In HUD 0.6 the id names a template, which many tasks can share, so a slug wins over
 * it. A variable of a function is weaker than one of the module.
 */
const NAMES: readonly ((row: TaskRow) => string | null)[] = [
  ({ id, era }) => (era === '0.6' ? null : id),
  ({ slug }) => slug,
  ({ id }) => id,
  ({ variable, isLocal }) => (isLocal ? null : variable),
  ({ variable }) => variable,
  ({ index }) => String(index),
];

/**
 * Returns the row that a selector names: by its id, or else its slug, the variable that it is assigned to in a Python file, or
 * its zero-based index. `[N]` is always the row with the index N.
 */
export function selectRow({ rows }: Pick<TaskFile, 'rows'>, selector: string): TaskRow | undefined {
  const index = INDEX.exec(selector)?.[1];
  if (index !== undefined) return rows[Number(index)];
  for (const nameOf of NAMES) {
    const row = rows.find((candidate) => nameOf(candidate) === selector);
    if (row !== undefined) return row;
  }
  return undefined;
}

/** The row that each name selects, by the rows of a file. */
const rowsByName = new WeakMap<readonly TaskRow[], ReadonlyMap<string, TaskRow>>();

/** Returns the selector of a row that `selectRow` leads back to it: its name, or `[index]` where that selects another row. */
export function selectorOf({ rows }: Pick<TaskFile, 'rows'>, row: TaskRow): string {
  const { name, index } = row;
  return isPlain(name) && getOrCreate(rowsByName, rows, () => indexByName(rows)).get(name) === row
    ? name
    : `[${index}]`;
}

/** Returns a selector of a row whose file is not at hand: its id, or `[index]` if its name is its index, which can be an id. */
export function selectorByName(name: string, index: number): string {
  return isPlain(name) && name !== String(index) ? name : `[${index}]`;
}

/** Whether a name can be a selector as it is. */
function isPlain(name: string): boolean {
  return !INDEX.test(name) && escapeControls(name) === name;
}

/** Returns the address of a row: `/tasks/shop.tasks.json#buy`. */
export function addressOf(file: Pick<TaskFile, 'file' | 'rows'>, row: TaskRow): string {
  return `${file.file}#${selectorOf(file, row)}`;
}

/** What `selectRow` finds for each name of each row. */
function indexByName(rows: readonly TaskRow[]): ReadonlyMap<string, TaskRow> {
  const index = new Map<string, TaskRow>();
  for (const nameOf of NAMES) {
    for (const row of rows) {
      const name = nameOf(row);
      if (name !== null && !index.has(name)) index.set(name, row);
    }
  }
  return index;
}
