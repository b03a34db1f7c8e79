import {
  constants,
  copyFileSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isNotFound } from '../../tasks/file-kind.ts';
import { describeSystemError } from '../../tasks/system-error.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import { EnvironmentError } from '../environment.ts';
import type { Withheld } from '../withheld.ts';
import { type LeftOut, withheldEntries } from '../withheld-entries.ts';
import { pathWithin } from '../workspace/folder.ts';
import { checkOut } from './check-out.ts';
import { readCodingStart } from './spec.ts';

/** What a folder holds when a task begins. */
export interface InitialFiles {
  /** A file as it was, by its path with `/`; null where there was none, or none that can still be read. */
  read(path: string): Promise<Uint8Array | null>;
  /** What the folder or repository of the task holds and the agent does not get. */
  readonly leftOut: readonly LeftOut[];
  /** A folder that it reads from, to be removed with the task. */
  readonly history?: string;
}

/** Fills an empty folder with what the task begins with, without the files that the run withholds. Rejects with `EnvironmentError` `start_failed` and words. */
export async function layOut(
  env: EnvironmentSpec,
  taskFolder: string,
  folder: string,
  withheld: Withheld,
): Promise<InitialFiles> {
  const start = readCodingStart(env);
  try {
    if ('problems' in start) throw new Error(start.problems[0]?.message);
    switch (start.kind) {
      case 'empty':
        return { read: async () => null, leftOut: [] };
      case 'files':
        return writeFiles(start.files, folder);
      case 'folder':
        return copyFolder(await pathWithin(taskFolder, start.folder), start.folder, folder, withheld);
      case 'git':
        return await checkOut(start, taskFolder, folder, withheld);
    }
  } catch (error) {
    const words = describeSystemError(error);
    throw new EnvironmentError('start_failed', `The task’s files cannot be laid out: ${words}.`, { cause: error });
  }
}

function writeFiles(files: Readonly<Record<string, string>>, folder: string): InitialFiles {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const byPath = new Map(
    Object.entries(files).map(([path, text]) => [
      path
        .split('/')
        .filter((part) => part !== '.')
        .join('/'),
      text,
    ]),
  );
  return {
    read: async (path) => {
      const text = byPath.get(path);
      return text === undefined ? null : Buffer.from(text, 'utf8');
    },
    leftOut: [],
  };
}

/** A small file is read and written in half the time that the system's own way to copy takes. */
const SMALL = 256 * 1024;

function copyOne(from: string, to: string): void {
  const { size, mode } = lstatSync(from);
  if (size > SMALL) copyFileSync(from, to, constants.COPYFILE_FICLONE);
  else writeFileSync(to, readFileSync(from), { mode: mode | 0o600 });
}

/**
 * Copies a folder. Links stay out, because they may lead anywhere, and so does the history of a folder with withheld
 * files, because it holds them too.
 */
function copyFolder(from: string, named: string, folder: string, withheld: Withheld): InitialFiles {
  if (lstatSync(from, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`there is no folder “${named}” beside the task`);
  const leftOut: LeftOut[] = [];
  const copy = (source: string, target: string, below: string): void => {
    const before = leftOut.length;
    const entries = readdirSync(source, { withFileTypes: true });
    const roles = withheldEntries(source, entries, withheld);
    const copyEntry = (entry: Dirent): void => {
      const [one, other] = [join(source, entry.name), join(target, entry.name)];
      const role = roles.get(entry.name);
      if (role !== undefined) leftOut.push({ path: `${below}${entry.name}`, role });
      else if (entry.isDirectory()) {
        mkdirSync(other);
        copy(one, other, `${below}${entry.name}/`);
      } else if (entry.isFile()) copyOne(one, other);
    };
    for (const entry of entries) if (entry.name !== '.git') copyEntry(entry);
    const history = entries.find(({ name }) => name === '.git');
    if (history === undefined) return;
    if (leftOut.length === before && !withheld.isAbove(source)) copyEntry(history);
    else leftOut.push({ path: `${below}.git`, role: 'history' });
  };
  copy(from, folder, '');
  return { read: async (path) => readOrNull(join(from, path)), leftOut };
}

function readOrNull(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isNotFound(error) || (error as NodeJS.ErrnoException).code === 'EISDIR') return null;
    throw error;
  }
}
