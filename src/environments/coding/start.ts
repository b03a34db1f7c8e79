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
import { searchElsewhere } from '../files-elsewhere.ts';
import type { Withheld } from '../withheld.ts';
import { type LeftOut, withheldEntries } from '../withheld-entries.ts';
import { pathWithin } from '../workspace/folder.ts';
import { checkOut, type InitialFiles } from './check-out.ts';
import { describeElsewhere } from './elsewhere.ts';
import { isHistory, isRepository, mayGetHistory } from './history.ts';
import { type CodingStart, readCodingStart } from './spec.ts';

/** The maximum number of entries that are searched for pointers of Git LFS. */
const MAX_SEARCHED = 20_000;

/**
 * Fills an empty folder with the task's initial files, without the files that the run withholds. `warning`: what they lack
 * because it is stored elsewhere. Rejects with `EnvironmentError` `start_failed`.
 */
export async function writeInitialFiles(
  env: EnvironmentSpec,
  taskFolder: string,
  folder: string,
  withheld: Withheld,
): Promise<InitialFiles & { readonly warning?: string }> {
  const start = readCodingStart(env);
  try {
    if ('problems' in start) throw new Error(start.problems[0]?.message);
    const files = await fill(start, taskFolder, folder, withheld);
    if (start.kind !== 'folder' && start.kind !== 'git') return files;
    const { missingSubmodules, pointers } = searchElsewhere(folder, MAX_SEARCHED);
    const messages = describeElsewhere(start, files.submodules ?? missingSubmodules, pointers);
    return { ...files, ...(messages.length > 0 && { warning: messages.map(({ message }) => message).join('\n') }) };
  } catch (error) {
    const message = `The task’s files could not be created: ${describeSystemError(error)}.`;
    throw new EnvironmentError('start_failed', message, { cause: error });
  }
}

async function fill(start: CodingStart, taskFolder: string, folder: string, withheld: Withheld): Promise<InitialFiles> {
  switch (start.kind) {
    case 'empty':
      return { read: async () => null, leftOut: [] };
    case 'files':
      return writeFiles(start.files, folder);
    case 'folder':
      return copyFolder(await pathWithin(taskFolder, start.folder), start.folder, folder, withheld);
    case 'git':
      return checkOut(start, taskFolder, folder, withheld);
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
