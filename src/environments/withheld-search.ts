import { type Dirent, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { realPathOf, Withheld } from './withheld.ts';
import { type LeftOut, withheldEntries } from './withheld-entries.ts';

/** Maximum number of entries that are examined while the user types. A run examines all. */
const MAX_EXAMINED = 1_000;
/** Large directories of other people's files. */
const NOT_SEARCHED = new Set(['.git', 'node_modules', '.venv', 'venv']);

/** What a run would withhold of a folder beside the task file, given by its path relative to the task's folder. */
export type LeftOutOf = (path: string) => readonly LeftOut[];

/** Searches folders beside the tasks of a folder, each once. A folder that cannot be read holds nothing. */
export function searchBeside(folder: string): {
  readonly of: LeftOutOf;
  readonly searched: ReadonlyMap<string, unknown>;
} {
  /** By absolute paths. */
  const searched = new Map<string, readonly LeftOut[]>();
  const of: LeftOutOf = (path) => {
    const place = resolve(folder, path);
    const known = searched.get(place);
    if (known !== undefined) return known;
    const found = search(place, new Withheld(folder, []));
    searched.set(place, found);
    return found;
  };
  return { of, searched };
}

function search(start: string, withheld: Withheld): readonly LeftOut[] {
  const found: LeftOut[] = [];
  let examined = 0;
  const walk = (directory: string, below: string): void => {
    const entries = entriesOf(directory);
    examined += entries.length;
    if (examined > MAX_EXAMINED) return;
    const roles = withheldEntries(directory, entries, withheld);
    for (const { name } of entries) {
      const role = roles.get(name);
      if (role !== undefined) found.push({ path: `${below}${name}`, role });
    }
    for (const entry of entries) {
      if (!entry.isDirectory() || roles.has(entry.name) || NOT_SEARCHED.has(entry.name)) continue;
      walk(join(directory, entry.name), `${below}${entry.name}/`);
    }
  };
  walk(realPathOf(start), '');
  return found;
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // That it is not there is another finding.
    return [];
  }
}
