import { getOrCreate } from '../../base/get-or-create.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import type { Used } from './completion/context.ts';

/** Number of rows of the edited file, half of them before the position. */
const AROUND = 1_000;
/** Number of rows of each other file, and of all other files. */
const OTHERS = 200;
const MAX_ROWS = 2_000;
const MAX_DEPTH = 8;

/** Collects tags and addresses that tasks use, from as many rows as fit between two keystrokes. */
export class UsedValues {
  /** A row stays the same object as long as its text does not change. */
  readonly #cache = new WeakMap<TaskRow, Used>();

  /**
   * @param row index of the edited row in `file`; its own values count too
   * @param others the other files of the workspace
   */
  collect(file: TaskFile, row: number, others: Iterable<TaskFile>): Used {
    const values = { tags: new Set<string>(), urls: new Set<string>() };
    const from = Math.max(0, row - AROUND / 2);
    let left = MAX_ROWS;
    const look = (rows: readonly TaskRow[]): void => {
      left -= rows.length;
      for (const one of rows) {
        const { tags, urls } = this.#of(one);
        for (const tag of tags) values.tags.add(tag);
        for (const url of urls) values.urls.add(url);
      }
    };
    look(file.rows.slice(from, from + AROUND));
    for (const other of others) {
      if (left <= 0) break;
      if (other.file !== file.file) look(other.rows.slice(0, Math.min(OTHERS, left)));
    }
    return values;
  }

  #of(row: TaskRow): Used {
    return getOrCreate(this.#cache, row, () => {
      const values = { tags: new Set<string>(), urls: new Set<string>() };
      gather(row.value, '', values, 0);
      return values;
    });
  }
}

const ADDRESS = /^https?:\/\/\S{1,300}$/;

function gather(value: unknown, key: string, values: Record<keyof Used, Set<string>>, depth: number): void {
  if (typeof value === 'string') {
    if (key === 'tags' && value.length <= 60) values.tags.add(value);
    else if (ADDRESS.test(value)) values.urls.add(value);
  } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
    const isList = Array.isArray(value);
    for (const [name, item] of Object.entries(value)) gather(item, isList ? key : name, values, depth + 1);
  }
}
