import { resolve } from 'node:path';
import { kindAt } from '../base/file-kind.ts';
import type { TaskFile, TaskRow } from './rows.ts';

/** Location of a task or of a file of tasks. */
export interface Address {
  /** Absolute path. */
  readonly file: string;
  /** An id or an index; null means the whole file or folder. */
  readonly selector: string | null;
}

/**
 * Splits `file#id` or `file#index` at the last `#` whose left side is an existing file.
 * If there is none, the whole text is a path, whether it exists or not.
 */
export async function parseAddress(text: string, folder: string = process.cwd()): Promise<Address> {
  for (let at = text.lastIndexOf('#'); at > 0; at = text.lastIndexOf('#', at - 1)) {
    const file = resolve(folder, text.slice(0, at));
    if ((await kindAt(file)) === 'file') return { file, selector: text.slice(at + 1) };
  }
  return { file: resolve(folder, text), selector: null };
}

/**
 * Returns the row with that id, or else the row with that slug, or with that zero-based index. In HUD 0.6 the id names a
 * template, which many tasks can share, so a slug wins over it.
 */
export function selectRow(file: TaskFile, selector: string): TaskRow | undefined {
  const { rows } = file;
  const row =
    rows.find(({ id, era }) => id === selector && era !== '0.6') ??
    rows.find(({ slug }) => slug === selector) ??
    rows.find(({ id }) => id === selector);
  return row ?? (/^\d+$/.test(selector) ? rows[Number(selector)] : undefined);
}
