import { statSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { KnownFile, Role } from '../environments/known-file.ts';
import { realPathOf, Withheld } from '../environments/withheld.ts';
import { withheldEntries } from '../environments/withheld-entries.ts';
import { isFunctionsFileName } from '../functions/user/files.ts';
import { modulePath, taskModule } from '../functions/user/task-module.ts';
import type { Params } from '../server/protocol.ts';
import type { Task } from '../tasks/task.ts';
import { ServerError } from './placement.ts';

type Files = Params<'session.reset'>['files'];

/** Where a container sees the folder of its task: no path that a page or a reason would name by chance. */
export const TASK_MOUNT = '/opt/taskwright/private/mounted';

/** Never looked into when a task's folder is handed over. */
const LEFT_OUT = new Set(['node_modules', '__pycache__', 'venv']);
/** Solutions and agents work on the Runner's side only. */
const SOLUTIONS = /\.actions$|\.agent\.(?:ts|js|mjs)$/;
/** More than this is no folder of tasks but somebody's home; one message of the control channel holds it. */
const MOST_BYTES = 200 * 1024 * 1024;
const MOST_FILES = 20_000;
/** So many files are asked whether a container may read them. */
const MOST_LOOKED_AT = 1_000;
/** So many files are read at once. */
const AT_ONCE = 16;

/** A file of a folder of tasks. */
export interface FolderFile {
  /** Below the folder, with `/`. */
  readonly name: string;
  readonly path: string;
}

/**
 * A task's folder for a container that has it mounted at `mount`, or its files where it has not (null) or where the
 * container's user may not read it. Rejects with `folder_too_large`, `folder_unreadable` or the signal's reason.
 */
export async function filesFor(
  task: Task,
  mount: string | null,
  signal?: AbortSignal,
  withheld: readonly KnownFile[] = [],
): Promise<Files> {
  const folder = dirname(task.file);
  if (mount !== null && (await isReadableByAll(folder))) {
    const seen = seenFrom(folder, withheld);
    if (seen !== null) return { folder: mount, withheld: seen };
  }
  return { contents: await readFolder(task, signal, withheld) };
}

/**
 * The known files relative to the folder, for whoever sees the folder under another path. Null where a file outside the
 * folder has further names: one of them may be in the folder, and only this machine can tell.
 */
export function seenFrom(folder: string, withheld: readonly KnownFile[]): KnownFile[] | null {
  const root = realPathOf(folder);
  const seen: KnownFile[] = [];
  for (const { path, role } of new Withheld(folder, withheld).known) {
    const below = relative(root, path);
    const isOutside = below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below);
    if (!isOutside) seen.push({ path: below.split(sep).join('/') || '.', role });
    else if (hasFurtherNames(path)) return null;
  }
  return seen;
}

function hasFurtherNames(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts?.isFile() === true && facts.nlink > 1;
}

async function readFolder(
  task: Task,
  signal: AbortSignal | undefined,
  known: readonly KnownFile[],
): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const folder = dirname(task.file);
  const withheld = await Withheld.ofTask(task, { folder, withheld: known });
  const found = await listFiles(folder, { most: MOST_FILES, withheld, ...(signal && { signal }) });
  const contents: Record<string, Uint8Array<ArrayBuffer>> = {};
  let bytes = 0;
  const rest = found.values();
  const read = async (): Promise<void> => {
    for (const { name, path } of rest) {
      signal?.throwIfAborted();
      const there = await stat(path).catch(goneOrUnreadable(path, folder));
      bytes += there?.size ?? 0;
      if (bytes > MOST_BYTES) throw tooLarge(folder, `more than ${MOST_BYTES / 1024 / 1024} MB`);
      const content = await readFile(path).catch(goneOrUnreadable(path, folder));
      if (content !== null) contents[name] = new Uint8Array(content);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, read));
  return contents;
}

/**
 * The files of a folder of tasks that an environment may need, without links, dot-files and packages. For a run, without
 * everything that it withholds, except the functions that the environment carries out; without a run, without what gives
 * the solutions away unless `solutions` asks for it.
 */
export async function listFiles(
  folder: string,
  options: {
    readonly signal?: AbortSignal;
    readonly solutions?: boolean;
    readonly most?: number;
    readonly withheld?: Withheld;
  },
): Promise<FolderFile[]> {
  const { signal, solutions = false, most = Number.POSITIVE_INFINITY, withheld } = options;
  const found: FolderFile[] = [];
  const module = modulePath(await taskModule(folder));
  const carriedOut = (path: string, role: Role): boolean =>
    (role === 'functions' && isFunctionsFileName(path)) || (role === 'module' && module === path);
  const walk = async (path: string, below: string): Promise<void> => {
    signal?.throwIfAborted();
    const entries = (await readdir(path, { withFileTypes: true }).catch(goneOrUnreadable(path, folder))) ?? [];
    const roles = withheld && withheldEntries(realPathOf(path), entries, withheld);
    for (const entry of entries) {
      if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) continue;
      const role = roles?.get(entry.name);
      if (role !== undefined && !carriedOut(join(path, entry.name), role)) continue;
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) await walk(join(path, entry.name), name);
      // Links are not followed: they may lead out of the folder.
      else if (entry.isFile() && (solutions || withheld !== undefined || !SOLUTIONS.test(entry.name)))
        found.push({ name, path: join(path, entry.name) });
      if (found.length > most) throw tooLarge(folder, `more than ${most.toLocaleString('en')} files`);
    }
  };
  await walk(folder, '');
  return found;
}

/**
 * A container's user is nobody in particular here, which on Linux may keep it from reading what is mounted. Of a folder
 * with very many files the first say it for all.
 */
async function isReadableByAll(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const allows = async (path: string, needed: number): Promise<boolean> => {
    const there = await stat(path).catch(goneOrUnreadable(path, folder));
    return there === null || (there.mode & needed) === needed;
  };
  let looked = 0;
  const folders = [folder];
  for (const path of folders) {
    if (!(await allows(path, 0o005))) return false;
    for (const entry of (await readdir(path, { withFileTypes: true }).catch(goneOrUnreadable(path, folder))) ?? []) {
      if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) continue;
      if (++looked > MOST_LOOKED_AT) return true;
      if (entry.isDirectory()) folders.push(join(path, entry.name));
      else if (entry.isFile() && !(await allows(join(path, entry.name), 0o004))) return false;
    }
  }
  return true;
}

/** What has gone from the folder while it is read is no loss: runs may be recorded in there meanwhile. */
function goneOrUnreadable(path: string, folder: string): (error: NodeJS.ErrnoException) => null {
  return (error) => {
    if (error.code === 'ENOENT' && path !== folder) return null;
    throw new ServerError('folder_unreadable', `${path} cannot be handed to the container: ${error.message}`, {
      cause: error,
    });
  };
}

function tooLarge(folder: string, holds: string): ServerError {
  return new ServerError(
    'folder_too_large',
    `The folder ${folder} holds ${holds}, too much to be handed to a container: give the tasks a folder of their own, or run them with --placement local.`,
  );
}
