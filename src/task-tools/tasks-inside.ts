import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kindAt } from '../base/file-kind.ts';
import { kindOfType } from '../environments/kinds.ts';
import { isFunctionsFileName } from '../functions/user/files.ts';
import { mayBeId } from '../runs/selection/select-tasks.ts';
import { solutionsBeside } from '../runs/solutions/solution-file.ts';
import { parseAddress } from '../tasks/address.ts';
import { containsTasks, findFiles, isRegularFile, loadFoundTaskFile, TaskFileError } from '../tasks/discover.ts';
import { importedFiles, moduleText } from '../tasks/formats/python/module-files.ts';
import { isTaskFileName, PYTHON } from '../tasks/recognition.ts';
import type { TaskFile } from '../tasks/rows.ts';
import type { Task } from '../tasks/task.ts';
import { inside, leadsOut } from './inside.ts';
import { TaskToolError, type ToolHost } from './tool.ts';

type Folder = Pick<ToolHost, 'folder'>;

/** The tasks that a tool may read. */
export interface TasksInside {
  /** Addresses, files, and folders for the command line. */
  readonly paths: readonly string[];
  /** A sentence for each file that is left out. */
  readonly notes: readonly string[];
}

/** Code of an environment of HUD 0.6 next to its tasks. */
const HUD_CODE = 'env.py';
/** How deep Python modules import each other. */
const MAX_IMPORTS = 3;
/** Characters of paths that a command line has room for on every system. */
const MAX_PATHS = 24_000;
/** The keys of a task that name files and folders outside of its calls. */
const PATH_KEYS: ReadonlySet<string> = new Set(['folder', 'git', 'image_uri', 'document']);
/** The keys below which there are no such keys. */
const OTHER_KEYS: ReadonlySet<string> = new Set(['setup', 'evaluate', 'metadata', 'args']);

/**
 * The tasks of an address, a file, or a folder for which only files in the folder of the host are read: themselves, their
 * solutions, functions, and modules, and what they name. Other task files in a folder are left out, without reading what is
 * outside. Rejects with `TaskToolError` if a given file is one of them, or nothing else is left.
 */
export async function tasksInside(given: string, host: Folder): Promise<TasksInside> {
  const { folder } = host;
  const checked = await inside(given, host);
  const { file } = await parseAddress(given, folder);
  const kind = await kindAt(file);
  const isSolution = file.endsWith('.actions');
  if (kind === 'file' && !isSolution) {
    await checkTaskFile(file, host);
    return { paths: [checked], notes: [] };
  }
  if (kind !== 'file' && kind !== 'folder' && !mayBeId(given)) return { paths: [checked], notes: [] };
  // The task of a solution is searched in its folder, and a registered id in the whole folder.
  const searched = kind === 'folder' ? file : isSolution ? dirname(file) : folder;
  const { files, notes } = await tasksBelow(searched, host);
  if (notes.length === 0) return { paths: [checked], notes };
  const paths = files.map((path) => relative(folder, path));
  if (kind !== 'folder' || files.length === 0 || paths.join(' ').length > MAX_PATHS) {
    throw new TaskToolError([...notes, 'Name another file or folder.'].join('\n'));
  }
  return { paths, notes };
}

/** Rejects with `TaskToolError` for a task file because of which something outside of the folder would be read. */
export async function checkTaskFile(file: string, host: Folder): Promise<void> {
  const reason = await new Limits(host).reasonAgainst(file);
  if (reason !== null) throw new TaskToolError(`${relative(host.folder, file)} cannot be used: ${reason}.`);
}

/** The task files in a folder that lead nowhere outside, and why others are left out. */
async function tasksBelow(
  start: string,
  host: Folder,
): Promise<{ files: readonly string[]; notes: readonly string[] }> {
  const limits = new Limits(host);
  const found: string[] = [];
  const leftOut: (readonly [path: string, reason: string])[] = [];
  try {
    await findFiles([start], async (path, entry) => {
      if (!isTaskFileName(entry.name) && !isFunctionsFileName(entry.name)) return false;
      if (entry.isSymbolicLink() && (await leadsOut(path, host.folder)))
        leftOut.push([path, `it is a link out of ${host.folder}`]);
      else if (isTaskFileName(entry.name) && (await isRegularFile(entry, path))) found.push(path);
      return false;
    });
  } catch (error) {
    // The command reports what cannot be read.
    if (!(error instanceof TaskFileError)) throw error;
  }
  const files: string[] = [];
  for (const path of found.sort()) {
    const reason = await limits.reasonAgainst(path);
    if (reason !== null) leftOut.push([path, reason]);
    else if (containsTasks(await loadFoundTaskFile(path))) files.push(path);
  }
  const notes = leftOut.map(([path, reason]) => `${relative(host.folder, path)} is left out: ${reason}.`);
  return { files, notes };
}

/** Finds out why task files would lead out of a folder. */
class Limits {
  readonly #folder: string;
  /** The links to code out of the folder, by folders of task files. */
  readonly #links = new Map<string, Promise<string | null>>();

  /** The modules that exist, by the Python files that import them. */
  readonly #modules = new Map<string, readonly string[]>();

  constructor({ folder }: Folder) {
    this.#folder = folder;
  }

  /** What of a task file in the folder is outside of it, as the end of a sentence; null if there is nothing. */
  async reasonAgainst(file: string): Promise<string | null> {
    const link = await this.#linkToCode(dirname(file));
    if (link !== null) return `${link} next to it is a link out of ${this.#folder}`;
    const module = PYTHON.test(file) ? await this.#moduleOutside(file, MAX_IMPORTS) : null;
    if (module !== null) return `it imports ${relative(dirname(file), module)}, which is outside of ${this.#folder}`;
    return await this.#outsideOf(await loadFoundTaskFile(file));
  }

  #linkToCode(folder: string): Promise<string | null> {
    const known = this.#links.get(folder) ?? this.#findLinkToCode(folder);
    this.#links.set(folder, known);
    return known;
  }

  async #findLinkToCode(folder: string): Promise<string | null> {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isSymbolicLink() || !(isFunctionsFileName(entry.name) || entry.name === HUD_CODE)) continue;
      if (await leadsOut(join(folder, entry.name), this.#folder)) return entry.name;
    }
    return null;
  }

  /** A module outside of the folder that a Python file imports, also through others. */
  async #moduleOutside(file: string, depth: number, seen = new Set<string>()): Promise<string | null> {
    for (const path of await this.#modulesOf(file)) {
      if (seen.has(path)) continue;
      seen.add(path);
      if (await leadsOut(path, this.#folder)) return path;
      const found = depth > 1 ? await this.#moduleOutside(path, depth - 1, seen) : null;
      if (found !== null) return found;
    }
    return null;
  }

  async #modulesOf(file: string): Promise<readonly string[]> {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    const paths: string[] = [];
    for (const path of importedFiles(file, moduleText(file) ?? '')) {
      if ((await kindAt(path)) === 'file') paths.push(path);
    }
    this.#modules.set(file, paths);
    return paths;
  }

  async #outsideOf({ file, rows }: TaskFile): Promise<string | null> {
    for (const { path } of solutionsBeside(file, rows)) {
      if (await leadsOut(path, this.#folder)) return `${basename(path)} next to it is a link out of ${this.#folder}`;
    }
    const environments = new Set(rows.flatMap(({ task }) => (task === null ? [] : hudCodeOf(task))));
    for (const path of environments) {
      if (await leadsOut(path, this.#folder))
        return `it runs ${relative(dirname(file), path)}, which is outside of ${this.#folder}`;
    }
    for (const { value } of rows) {
      for (const named of pathsIn(value)) {
        if (await leadsOut(pathOf(named, dirname(file)), this.#folder))
          return `it names “${named}”, which is outside of ${this.#folder}`;
      }
    }
    return null;
  }
}

/** The code of the environments of HUD that a task and its verifier run in. */
function hudCodeOf({ env, file }: Task): readonly string[] {
  const kind = kindOfType(env);
  const folder = dirname(file);
  const sources = [kind?.server?.(env, folder) ?? null, kind?.verifier?.(env, folder) ?? null];
  return sources.flatMap((source) => (source !== null && 'hud' in source ? [source.hud] : []));
}

/** The files and folders that a row names. */
function* pathsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (PATH_KEYS.has(key) && typeof inner === 'string') yield inner;
    else if (!OTHER_KEYS.has(key)) yield* pathsIn(inner);
  }
}

/** The path of what a row names, which can be a `file:` URL. */
function pathOf(named: string, folder: string): string {
  try {
    return fileURLToPath(named);
  } catch {
    // It is a path, or the URL of something else.
    return resolve(folder, named);
  }
}
