import { statSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { mapAtMost } from '../base/map-at-most.ts';
import type { KnownFile, Role } from '../environments/known-file.ts';
import { realPathOf, Withheld } from '../environments/withheld.ts';
import { withheldEntries } from '../environments/withheld-entries.ts';
import { isFunctionsFileName } from '../functions/user/files.ts';
import { taskClassFiles } from '../functions/user/python/class-files.ts';
import { modulePaths, taskModule } from '../functions/user/task-module.ts';
import type { Params } from '../server/protocol.ts';
import type { Task } from '../tasks/task.ts';
import { ServerError } from './placement.ts';

type Files = Params<'session.reset'>['files'];

/** Mount point of the folder of the task: a path that no page or reason contains by accident. */
export const TASK_MOUNT = '/opt/taskwright/private/mounted';

/** Folders that are never copied to a container. */
const LEFT_OUT = new Set(['node_modules', '__pycache__', 'venv']);
/** Solutions and agents run outside the environment server. */
const SOLUTIONS = /\.actions$|\.agent\.(?:ts|js|mjs)$/;
/** Limits that catch a home folder by mistake. The files must fit into one message of the control channel. */
const MAX_BYTES = 200 * 1024 * 1024;
const MAX_FILES = 20_000;
/** Maximum number of files whose permissions are checked. */
const MAX_CHECKED = 1_000;
/** Number of files to read concurrently. */
const READ_CONCURRENCY = 16;

export interface FolderFile {
  /** Path relative to the folder, with `/`. */
  readonly name: string;
  readonly path: string;
}

/**
 * The mounted folder of a task (`mount`), or its files if nothing is mounted or the user in the container cannot read
 * the folder. Rejects with `folder_too_large`, `folder_unreadable`, or the reason of the signal.
 */
export async function filesFor(
  task: Task,
  mount: string | null,
  signal?: AbortSignal,
  withheld: readonly KnownFile[] = [],
): Promise<Files> {
  const folder = dirname(task.file);
  if (mount !== null && (await isReadableByAll(folder))) {
    const inMount = relativeWithheld(folder, withheld);
    if (inMount !== null) return { folder: mount, withheld: inMount };
  }
  return { contents: await readFolder(task, signal, withheld) };
}

/**
 * The known files relative to the folder, for a server that sees it under another path. Null if a file outside the
 * folder has hard links: one of them may be in the folder, which only this machine can determine.
 */
export function relativeWithheld(folder: string, withheld: readonly KnownFile[]): KnownFile[] | null {
  const root = realPathOf(folder);
  const relativeFiles: KnownFile[] = [];
  for (const { path, role } of new Withheld(folder, withheld).known) {
    const relativePath = relative(root, path);
    const isOutside = relativePath === '..' || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath);
    if (!isOutside) relativeFiles.push({ path: relativePath.split(sep).join('/') || '.', role });
    else {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.isFile() === true && stats.nlink > 1) return null;
    }
  }
  return relativeFiles;
}

async function readFolder(
  task: Task,
  signal: AbortSignal | undefined,
  knownFiles: readonly KnownFile[],
): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const folder = dirname(task.file);
  const withheld = await Withheld.ofTask(task, { folder, withheld: knownFiles });
  const files = await listFiles(folder, { most: MAX_FILES, withheld, signal });
  const contents: Record<string, Uint8Array<ArrayBuffer>> = {};
  let bytes = 0;
  await mapAtMost(READ_CONCURRENCY, files, async ({ name, path }) => {
    signal?.throwIfAborted();
    const stats = await stat(path).catch(goneOrUnreadable(path, folder));
    bytes += stats?.size ?? 0;
    if (bytes > MAX_BYTES) throw tooLarge(folder, `more than ${MAX_BYTES / 1024 / 1024} MB`);
    const content = await readFile(path).catch(goneOrUnreadable(path, folder));
    if (content !== null) contents[name] = new Uint8Array(content);
  });
  return contents;
}

/**
 * The files of a folder that an environment may need, without links, dot files, and packages. For a run: without
 * withheld files, except for functions that the environment runs. Otherwise without solutions and agents, unless
 * `solutions` is set.
 */
export async function listFiles(
  folder: string,
  options: {
    readonly signal?: AbortSignal | undefined;
    readonly solutions?: boolean;
    readonly most?: number;
    readonly withheld?: Withheld;
  },
): Promise<FolderFile[]> {
  const { signal, solutions = false, most = Number.POSITIVE_INFINITY, withheld } = options;
  const files: FolderFile[] = [];
  const modules = new Set([...modulePaths(await taskModule(folder)), ...(await taskClassFiles(folder))]);
  const isExecuted = (path: string, role: Role): boolean =>
    (role === 'functions' && isFunctionsFileName(path)) || (role === 'module' && modules.has(path));
  const walk = async (path: string, prefix: string): Promise<void> => {
    signal?.throwIfAborted();
    const entries = (await readdir(path, { withFileTypes: true }).catch(goneOrUnreadable(path, folder))) ?? [];
    const roles = withheld && withheldEntries(realPathOf(path), entries, withheld);
    for (const entry of entries) {
      if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) continue;
      const role = roles?.get(entry.name);
      if (role !== undefined && !isExecuted(join(path, entry.name), role)) continue;
      const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      if (entry.isDirectory()) await walk(join(path, entry.name), name);
      // Links are not followed: they may lead out of the folder.
      else if (entry.isFile() && (solutions || withheld !== undefined || !SOLUTIONS.test(entry.name)))
        files.push({ name, path: join(path, entry.name) });
      if (files.length > most) throw tooLarge(folder, `more than ${most.toLocaleString('en')} files`);
    }
  };
  await walk(folder, '');
  return files;
}

/**
 * Whether any user can read the folder: on Linux the user in a container may not be able to. Checks the first files of
 * a large folder only.
 */
async function isReadableByAll(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const allows = async (path: string, mode: number): Promise<boolean> => {
    const stats = await stat(path).catch(goneOrUnreadable(path, folder));
    return stats === null || (stats.mode & mode) === mode;
  };
  let checkedCount = 0;
  const folders = [folder];
  for (const path of folders) {
    if (!(await allows(path, 0o005))) return false;
    for (const entry of (await readdir(path, { withFileTypes: true }).catch(goneOrUnreadable(path, folder))) ?? []) {
      if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) continue;
      if (++checkedCount > MAX_CHECKED) return true;
      if (entry.isDirectory()) folders.push(join(path, entry.name));
      else if (entry.isFile() && !(await allows(join(path, entry.name), 0o004))) return false;
    }
  }
  return true;
}

/** Files may disappear while the folder is read, for example because runs are recorded in it. */
function goneOrUnreadable(path: string, folder: string): (error: NodeJS.ErrnoException) => null {
  return (error) => {
    if (error.code === 'ENOENT' && path !== folder) return null;
    const message = `${path} cannot be copied to the container: ${error.message}`;
    throw new ServerError('folder_unreadable', message, { cause: error });
  };
}

function tooLarge(folder: string, description: string): ServerError {
  return new ServerError(
    'folder_too_large',
    `The folder ${folder} holds ${description}, too much to copy to a container. Move the tasks to a folder of their own, or run them on this machine (\`--placement local\`).`,
  );
}
