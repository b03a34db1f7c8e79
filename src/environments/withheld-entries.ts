import type { Dirent } from 'node:fs';
import { basename, join } from 'node:path';
import { looksLikeTaskFile, PYTHON } from '../tasks/recognition.ts';
import { ROLE_TEXTS, type Role, roleOfName } from './known-file.ts';
import type { Withheld } from './withheld.ts';

/** The default folder of recorded runs. */
const RECORDINGS = '.taskwright';
/** The folder in which Python stores compiled files. */
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
 * The entries of a directory that an agent must not get, by name: files that the run knows, task files by their content, and
 * next to task files also solutions, functions files, and agents by their names.
 * @param original the directory that this one is a copy of
 */
export function withheldEntries(
  directory: string,
  entries: readonly Dirent[],
  withheld: Withheld,
  original = directory,
): ReadonlyMap<string, Role> {
  const roles = new Map<string, Role>();
  for (const entry of entries) {
    const { name } = entry;
    if (!entry.isDirectory() && !entry.isFile()) continue;
    const role = entry.isDirectory() && name === RECORDINGS ? 'trace' : withheld.roleOf(join(original, name));
    if (role !== null) roles.set(name, role);
    else if (entry.isFile() && looksLikeTaskFile(join(directory, name))) roles.set(name, 'task');
  }
  const isBesideTasks = withheld.isTaskFolder(original) || [...roles.values()].includes('task');
  for (const entry of isBesideTasks ? entries : []) {
    const role = entry.isFile() ? roleOfName(entry.name) : null;
    if (role !== null && role !== 'task' && !roles.has(entry.name)) roles.set(entry.name, role);
  }
  const [, sourceRole] = [...roles].find(([name]) => PYTHON.test(name)) ?? [];
  if (sourceRole !== undefined && entries.some(({ name }) => name === COMPILED)) roles.set(COMPILED, sourceRole);
  return roles;
}

/** The role of a single file that an agent must not get, or null. `path`: its real path. */
export function roleOfFile(path: string, withheld: Withheld): Role | null {
  return withheld.roleOf(path) ?? roleOfName(basename(path)) ?? (looksLikeTaskFile(path) ? 'task' : null);
}

/** Lists withheld files: `a.py (a task file), b.actions (a solution)`. */
export function printLeftOut(leftOut: readonly LeftOut[]): string {
  const list = leftOut.slice(0, MAX_LISTED).map(({ path, role }) => `${path} (${ROLE_TEXTS[role]})`);
  const more = leftOut.length - list.length;
  return `${list.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
