import type { Path } from '../../base/path.ts';
import type { Position, Range } from '../../base/range.ts';
import type { TaskFile, TaskRow } from '../../tasks/rows.ts';
import { textRange, within } from '../text-range.ts';

/** The name of a file in a task. The caller checks whether the file exists. */
export interface FileName {
  /** Relative to the folder of the task file, and inside it. */
  readonly name: string;
  readonly range: Range;
  /** The file is the task's solution, named after the task's id. */
  readonly solution: boolean;
}

/** Keys that hold prose, never a file name. */
const WORDS = new Set([
  'prompt',
  'instruction',
  'system_prompt',
  'name',
  'description',
  'tags',
  'html',
  'sensitive_data',
]);
const FILE_NAME =
  /^(?!.*(?:^|[/\\])\.\.(?:[/\\]|$))(?![/\\]|[A-Za-z][\w+.-]*:)[^<>"|?*#\n]{1,200}\.[A-Za-z][A-Za-z0-9]{0,7}(?=$|[?#])/;

/** Possible names of files beside a task: its solution, and every text that looks like a file name. */
export function fileNames(row: TaskRow): FileName[] {
  const names: FileName[] = [];
  const { id } = row;
  if (id !== null && isName(id)) {
    const range = textRange(row, ['id'], id);
    if (range !== undefined) names.push({ name: `${id}.actions`, range, solution: true });
  }
  for (const [path, text] of texts(row.value, [])) {
    const name = FILE_NAME.exec(text)?.[0];
    const range = name === undefined ? undefined : textRange(row, path, text);
    if (name !== undefined && range !== undefined) names.push({ name, range, solution: false });
  }
  return names;
}

/** The file name at a position, other than that of the solution. */
export function fileNameAt(row: TaskRow, position: Position): FileName | undefined {
  return fileNames(row).find(({ range, solution }) => !solution && within(range, position));
}

/** The file names of the first rows of a file. Yields after each row. */
export function* fileNamesIn(file: TaskFile, rows: number): Generator<undefined, FileName[], undefined> {
  const names: FileName[] = [];
  for (const row of file.rows.slice(0, rows)) {
    names.push(...fileNames(row));
    yield;
  }
  return names;
}

function* texts(value: unknown, path: Path): Generator<readonly [Path, string]> {
  if (typeof value === 'string') yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (path.length === 0 && (key === 'id' || WORDS.has(String(key)))) continue;
    yield* texts(item, [...path, key]);
  }
}

/** Whether an id is a valid file name that does not leave the folder. */
function isName(id: string): boolean {
  return !/[/\\]|^\.{1,2}$/.test(id);
}
