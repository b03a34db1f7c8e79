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
import { readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { nullIfNotFound } from '../../base/file-kind.ts';
import { describeSystemError } from '../../base/system-error.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import { EnvironmentError } from '../environment.ts';
import type { Withheld } from '../withheld.ts';
import { type LeftOut, withheldEntries } from '../withheld-entries.ts';
import { pathWithin } from '../workspace/folder.ts';
import { checkOut, type InitialFiles } from './check-out.ts';
import { isHistory, isRepository, mayGetHistory } from './history.ts';
import { readCodingStart } from './spec.ts';

/**
 * Fills an empty folder with the task's initial files, without the files that the run withholds. Rejects with
 * `EnvironmentError` `start_failed`.
 */
export async function writeInitialFiles(
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
        return await copyFolder(await pathWithin(taskFolder, start.folder), start.folder, folder, withheld);
      case 'git':
        return await checkOut(start, taskFolder, folder, withheld);
    }
  } catch (error) {
    const message = `The task’s files could not be created: ${describeSystemError(error)}.`;
    throw new EnvironmentError('start_failed', message, { cause: error });
  }
}

function writeFiles(files: Readonly<Record<string, string>>, folder: string): InitialFiles {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const texts = new Map(Object.entries(files).map(([path, text]) => [posix.normalize(path), Buffer.from(text)]));
  return { read: async (path) => texts.get(path) ?? null, leftOut: [] };
}

/** The maximum size in bytes of files that are read and written, which is twice as fast as the system's copy function. */
const SMALL = 256 * 1024;

function copyOne(from: string, to: string): void {
  const { size, mode } = lstatSync(from);
  if (size > SMALL) copyFileSync(from, to, constants.COPYFILE_FICLONE);
  else writeFileSync(to, readFileSync(from), { mode: mode | 0o600 });
}

/**
 * Copies a folder, without links, which may lead anywhere, and without a history that refers to another repository or
 * contains withheld files.
 */
async function copyFolder(from: string, path: string, folder: string, withheld: Withheld): Promise<InitialFiles> {
  if (lstatSync(from, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`the folder “${path}” does not exist next to the task`);
  const leftOut: LeftOut[] = [];
  const histories: { readonly from: string; readonly to: string; readonly path: string }[] = [];
  const copyInto = (source: string, target: string, below: string): void => {
    mkdirSync(target, { recursive: true });
    const before = leftOut.length;
    const entries = readdirSync(source, { withFileTypes: true });
    const roles = withheldEntries(source, entries, withheld);
    for (const entry of entries) {
      if (isHistory(entry)) continue;
      const role = roles.get(entry.name);
      if (role !== undefined) leftOut.push({ path: `${below}${entry.name}`, role });
      else copyEntry(entry, source, target, below);
    }
    const mayHold = leftOut.length > before || withheld.isAbove(source);
    for (const { name } of entries.filter(isHistory)) {
      const path = `${below}${name}`;
      if (mayHold) leftOut.push({ path, role: 'history' });
      else histories.push({ from: join(source, name), to: join(target, name), path });
    }
  };
  const copyEntry = (entry: Dirent, source: string, target: string, below: string): void => {
    const [one, other] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory() && isRepository(one))
      histories.push({ from: one, to: other, path: `${below}${entry.name}` });
    else if (entry.isDirectory()) copyInto(one, other, `${below}${entry.name}/`);
    else if (entry.isFile()) copyOne(one, other);
  };
  copyInto(from, folder, '');
  for (const history of histories) {
    if (await mayGetHistory(history.from, withheld)) copyInto(history.from, history.to, `${history.path}/`);
    else leftOut.push({ path: history.path, role: 'history' });
  }
  return { read: (path) => readFile(join(from, path)).catch(nullIfNoFile), leftOut };
}

function nullIfNoFile(error: NodeJS.ErrnoException): null {
  return error.code === 'EISDIR' ? null : nullIfNotFound(error);
}
