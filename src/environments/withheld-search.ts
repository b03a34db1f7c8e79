import { join, resolve } from 'node:path';
import { getOrCreate } from '../base/get-or-create.ts';
import { type FilesElsewhere, NOT_SEARCHED, searchElsewhere } from './files-elsewhere.ts';
import { entriesOf, realPathOf, Withheld } from './withheld.ts';
import { type LeftOut, withheldEntries } from './withheld-entries.ts';

/** Maximum number of entries that are examined while the user types. A run examines all. */
const MAX_EXAMINED = 1_000;

/** The files that a run would withhold in a folder next to the task file, by its path relative to the task's folder. */
export type LeftOutOf = (path: string) => readonly LeftOut[];

/** What a folder next to the task file lacks because it is stored elsewhere. */
export type ElsewhereOf = (path: string) => FilesElsewhere;

/** Searches folders next to the tasks of a folder, each once. A folder that cannot be read counts as empty. */
export function searchBeside(folder: string): {
  readonly of: LeftOutOf;
  readonly elsewhereOf: ElsewhereOf;
  readonly searches: ReadonlyMap<string, unknown>;
} {
  /** By absolute paths. */
  const searches = new Map<string, readonly LeftOut[]>();
  const searchesElsewhere = new Map<string, FilesElsewhere>();
  const of: LeftOutOf = (path) => {
    const absolutePath = resolve(folder, path);
    return getOrCreate(searches, absolutePath, () => search(absolutePath, new Withheld(folder, [])));
  };
  const elsewhereOf: ElsewhereOf = (path) => {
    of(path);
    const absolutePath = resolve(folder, path);
    return getOrCreate(searchesElsewhere, absolutePath, () => searchElsewhere(absolutePath, MAX_EXAMINED));
  };
  return { of, elsewhereOf, searches };
}

function search(start: string, withheld: Withheld): readonly LeftOut[] {
  const leftOut: LeftOut[] = [];
  let entryCount = 0;
  const walk = (directory: string, below: string): void => {
    const entries = entriesOf(directory);
    entryCount += entries.length;
    if (entryCount > MAX_EXAMINED) return;
    const roles = withheldEntries(directory, entries, withheld);
    for (const { name } of entries) {
      const role = roles.get(name);
      if (role !== undefined) leftOut.push({ path: `${below}${name}`, role });
    }
    for (const entry of entries) {
      if (!entry.isDirectory() || roles.has(entry.name) || NOT_SEARCHED.has(entry.name)) continue;
      walk(join(directory, entry.name), `${below}${entry.name}/`);
    }
  };
  walk(realPathOf(start), '');
  return leftOut;
}
