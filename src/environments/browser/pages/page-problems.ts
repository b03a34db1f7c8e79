import { isObject, type JsonObject } from '../../../base/json.ts';
import type { Path } from '../../../base/path.ts';
import type { Beside } from '../../../functions/user/beside.ts';
import type { Problem } from '../../../tasks/problem.ts';
import { pageFileOf } from './page-address.ts';

/**
 * A page file that does not exist next to the task file.
 * @param beside undefined if the files are unknown
 */
export function missingPage(path: Path, address: string, beside: Beside | undefined): Problem[] {
  const page = beside === undefined ? null : pageFileOf(address);
  const entry = page === null ? 'file' : beside?.(page);
  if (page === null || entry === 'file') return [];
  const message =
    entry === 'folder'
      ? `“${page}” is a folder, not a page`
      : `The page “${page}” does not exist next to the task file`;
  return [{ path, severity: 'warning', code: 'missing-page', message }];
}

/** The start page of a task, if it does not exist. */
export function missingStartPage(row: JsonObject, beside: Beside | undefined): Problem[] {
  const state = row['initial_state'];
  return [
    { path: [], values: row },
    { path: ['initial_state'], values: isObject(state) ? state : {} },
  ].flatMap(({ path, values }) =>
    ['start_url', 'html_file'].flatMap((key) => {
      const value = values[key];
      return typeof value === 'string' ? missingPage([...path, key], value, beside) : [];
    }),
  );
}
