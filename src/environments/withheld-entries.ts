import type { Dirent } from 'node:fs';
import { basename, join } from 'node:path';
import { looksLikeTaskFile, PYTHON } from '../tasks/recognition.ts';
import { type Role, roleInWords, roleOfName } from './known-file.ts';
import type { Withheld } from './withheld.ts';

/** The default folder of recorded runs. */
const RECORDINGS = '.taskwright';
/** Where Python keeps the compiled form of the files of a folder. */
const COMPILED = '__pycache__';
/** The maximum number of withheld files in a message. */
const MAX_LISTED = 10;

/** A file or directory that is withheld from an agent. */
export interface LeftOut {
  /** Relative, with `/`. */
  readonly path: string;
  readonly role: Role;
}

/**
 * The entries of a directory that an agent must not get, by name: what the run knows, task files by their content, and
 * beside task files also what has the name of a solution, functions file or agent.
 * @param original the directory that this one is a copy of
 */
export function withheldEntries(
  directory: string,
  entries: readonly Dirent[],
  withheld: Withheld,
  original = directory,
): ReadonlyMap<string, Role> {
  const found = new Map<string, Role>();
  for (const entry of entries) {
    const { name } = entry;
    if (entry.isDirectory()) {
      const role = name === RECORDINGS ? 'trace' : withheld.roleOf(join(original, name));
      if (role !== null) found.set(name, role);
    } else if (entry.isFile()) {
      const role = withheld.roleOf(join(original, name)) ?? (looksLikeTaskFile(join(directory, name)) ? 'task' : null);
      if (role !== null) found.set(name, role);
    }
  }
  const isBesideTasks = withheld.isTaskFolder(original) || [...found.values()].includes('task');
  for (const entry of isBesideTasks ? entries : []) {
    const role = entry.isFile() ? roleOfName(entry.name) : null;
    if (role !== null && role !== 'task' && !found.has(entry.name)) found.set(entry.name, role);
  }
  const [, compiled] = [...found].find(([name]) => PYTHON.test(name)) ?? [];
  if (compiled !== undefined && entries.some(({ name }) => name === COMPILED)) found.set(COMPILED, compiled);
  return found;
}

/** The role of a single file that an agent must not get, or null. `path`: its real path. */
export function roleOfFile(path: string, withheld: Withheld): Role | null {
  return withheld.roleOf(path) ?? roleOfName(basename(path)) ?? (looksLikeTaskFile(path) ? 'task' : null);
}

/** Lists withheld files: `a.py (a task file), b.actions (a solution)`. */
export function printLeftOut(leftOut: readonly LeftOut[]): string {
  const named = leftOut.slice(0, MAX_LISTED).map(({ path, role }) => `${path} (${roleInWords(role)})`);
  const more = leftOut.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
