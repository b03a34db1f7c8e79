import { closeSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join, posix } from 'node:path';
import { entriesOf } from './withheld.ts';

/** Large directories that others maintain. */
export const NOT_SEARCHED = new Set(['.git', 'node_modules', '.venv', 'venv']);
/** The first line of a file that Git LFS stores in place of a large one. */
const POINTER = Buffer.from('version https://git-lfs.github.com/spec/v1\n');
/** The maximum size of such a file in bytes, by its specification. */
const MAX_POINTER = 1_024;
/** The maximum size of `.gitmodules` and `.gitattributes` in bytes. */
const MAX_SETTINGS = 1024 * 1024;

/** What a folder lacks because it is stored elsewhere. Paths are relative to the folder, with `/`. */
export interface FilesElsewhere {
  /** The folders of its submodules. */
  readonly submodules: readonly string[];
  /** The folders of its submodules, and of theirs, that are empty or do not exist. */
  readonly missingSubmodules: readonly string[];
  /** Files that are pointers of Git LFS. */
  readonly pointers: readonly string[];
  /** Files that Git LFS stores, so that commits have pointers in their place. */
  readonly lfsFiles: readonly string[];
}

/** Searches a folder for submodules and files of Git LFS, in at most `most` entries. What cannot be read counts as absent. */
export function searchElsewhere(folder: string, most: number): FilesElsewhere {
  const submodules: string[] = [];
  const missingSubmodules: string[] = [];
  const pointers = new Set<string>();
  const files: string[] = [];
  const lfsPatterns: RegExp[] = [];
  let entryCount = 0;
  const walk = (directory: string, below: string): void => {
    const entries = entriesOf(directory);
    entryCount += entries.length;
    if (entryCount > most) return;
    for (const entry of entries) {
      const place = join(directory, entry.name);
      if (entry.isDirectory() && !NOT_SEARCHED.has(entry.name)) walk(place, `${below}${entry.name}/`);
      else if (!entry.isFile()) continue;
      else if (entry.name === '.gitattributes') lfsPatterns.push(...lfsPatternsIn(textOf(place), below));
      else if (entry.name === '.gitmodules') {
        const paths = submodulesIn(textOf(place));
        if (directory === folder) submodules.push(...paths);
        const missing = paths.filter((path) => entriesOf(join(directory, path)).length === 0);
        missingSubmodules.push(...missing.map((path) => `${below}${path}`));
      } else {
        files.push(`${below}${entry.name}`);
        if (isPointer(place)) pointers.add(`${below}${entry.name}`);
      }
    }
  };
  walk(folder, '');
  const lfsFiles = files.filter((path) => pointers.has(path) || lfsPatterns.some((pattern) => pattern.test(path)));
  return { submodules, missingSubmodules, pointers: [...pointers], lfsFiles };
}

/** The paths in a `.gitmodules` file, as far as they stay in its folder. */
function submodulesIn(text: string): readonly string[] {
  const paths = [...text.matchAll(/^[ \t]*path[ \t]*=[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|([^\n;#]*))/gim)].map(
    ([, quoted, plain = '']) => posix.normalize(quoted === undefined ? plain.trim() : quoted.replace(/\\(.)/g, '$1')),
  );
  return [...new Set(paths)].filter((path) => !/^(?:\.\.?(?:\/|$)|\/)/.test(path));
}

/** The patterns of a `.gitattributes` file in the folder `below`. Those with many wildcards, which take long, are left out. */
function lfsPatternsIn(text: string, below: string): readonly RegExp[] {
  return [...text.matchAll(/^[ \t]*([^\s#"]\S*)[ \t](?:.*[ \t])?filter=lfs(?:[ \t\r]|$)/gm)].flatMap(
    ([, pattern = '']) => {
      const parts = pattern.replace(/^\//, '').split(/(\*\*\/|\*\*?|\?)/);
      if (parts.length > 5 || /[[\\]/.test(pattern)) return [];
      const wildcards: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' };
      const source = parts.map((part) => wildcards[part] ?? part.replace(/[.+^${}()|]/g, '\\$&')).join('');
      const anywhere = pattern.includes('/') ? '' : '(?:.*/)?';
      return new RegExp(`^${below.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}${anywhere}${source}$`);
    },
  );
}

function isPointer(place: string): boolean {
  try {
    const { size } = lstatSync(place);
    if (size <= POINTER.length || size > MAX_POINTER) return false;
    const file = openSync(place, 'r');
    try {
      const start = Buffer.alloc(POINTER.length);
      return readSync(file, start) === POINTER.length && start.equals(POINTER);
    } finally {
      closeSync(file);
    }
  } catch {
    // The run reports a file that it cannot read.
    return false;
  }
}

function textOf(place: string): string {
  try {
    return lstatSync(place).size > MAX_SETTINGS ? '' : readFileSync(place, 'utf8');
  } catch {
    // The run reports a file that it cannot read.
    return '';
  }
}
