import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kindAt } from '../base/file-kind.ts';
import { getOrCreate } from '../base/get-or-create.ts';
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
import { checkPath, leadsOut } from './path-check.ts';
import { TaskToolError, type ToolHost } from './tool.ts';

type Folder = Pick<ToolHost, 'folder'>;

/** The tasks that a tool may read. */
export interface ReadableTasks {
  /** Addresses, files, and folders for the command line. */
  readonly paths: readonly string[];
  /** A sentence for each file that is left out. */
  readonly notes: readonly string[];
}

/** Code of an environment of HUD 0.6 next to its tasks. */
const HUD_CODE = 'env.py';
/** Maximum depth of imports between Python modules. */
const MAX_IMPORTS = 3;
/** Maximum length of the paths on a command line, in characters: every system has room for it. */
const MAX_PATHS = 24_000;
/** The keys of a task that name files and folders outside of its calls. */
const PATH_KEYS: ReadonlySet<string> = new Set(['folder', 'git', 'image_uri', 'document']);
/** The keys below which no such key is searched for. */
const OTHER_KEYS: ReadonlySet<string> = new Set(['setup', 'evaluate', 'metadata', 'args']);

/**
 * The tasks of an address, a file, or a folder for which only files in the folder of the host are read: the task files, their
 * solutions, functions, and modules, and the files that they name. Other task files in a folder are left out, without reading
 * what is outside. Rejects with `TaskToolError` if the file itself must be left out, or if no file is left.
 */
export async function readableTasks(path: string, host: Folder): Promise<ReadableTasks> {
  const { folder } = host;
  const relativePath = await checkPath(path, host);
  const { file } = await parseAddress(path, folder);
  const kind = await kindAt(file);
  const isSolution = file.endsWith('.actions');
  if (kind === 'file' && !isSolution) {
    await checkTaskFile(file, host);
    return { paths: [relativePath], notes: [] };
  }
  if (kind !== 'file' && kind !== 'folder' && !mayBeId(path)) return { paths: [relativePath], notes: [] };
  // The task of a solution is searched in its folder, and a registered id in the whole folder.
  const start = kind === 'folder' ? file : isSolution ? dirname(file) : folder;
  const { files, notes } = await tasksBelow(start, host);
  if (notes.length === 0) return { paths: [relativePath], notes };
  const paths = files.map((taskFile) => relative(folder, taskFile));
  if (kind !== 'folder' || files.length === 0 || paths.join(' ').length > MAX_PATHS) {
    throw new TaskToolError([...notes, 'Name another file or folder.'].join('\n'));
  }
  return { paths, notes };
}

/** Rejects with `TaskToolError` for a task file that would cause a read outside of the folder. */
export async function checkTaskFile(file: string, host: Folder): Promise<void> {
  const reason = await new OutsideReferences(host).reasonAgainst(file);
  if (reason !== null) throw new TaskToolError(`${relative(host.folder, file)} cannot be used: ${reason}.`);
}

/** The task files in a folder that do not lead out of it, and why others are left out. */
async function tasksBelow(start: string, host: Folder) {
  const references = new OutsideReferences(host);
  const candidates: string[] = [];
  const leftOut: (readonly [path: string, reason: string])[] = [];
  try {
    await findFiles([start], async (path, entry) => {
      if (!isTaskFileName(entry.name) && !isFunctionsFileName(entry.name)) return false;
      if (entry.isSymbolicLink() && (await leadsOut(path, host.folder)))
        leftOut.push([path, `it is a link out of ${host.folder}`]);
      else if (isTaskFileName(entry.name) && (await isRegularFile(entry, path))) candidates.push(path);
      return false;
    });
  } catch (error) {
    // The command reports what cannot be read.
    if (!(error instanceof TaskFileError)) throw error;
  }
  const files: string[] = [];
  for (const path of candidates.sort()) {
    const reason = await references.reasonAgainst(path);
    if (reason !== null) leftOut.push([path, reason]);
    else if (containsTasks(await loadFoundTaskFile(path))) files.push(path);
  }
  const notes = leftOut.map(([path, reason]) => `${relative(host.folder, path)} is left out: ${reason}.`);
  return { files, notes };
}

/** Finds references of task files to what is outside of a folder. */
class OutsideReferences {
  readonly #folder: string;
  /** The links to code out of the folder, by folders of task files. */
  readonly #links = new Map<string, Promise<string | null>>();
  /** The modules that exist, by the Python files that import them. */
  readonly #modules = new Map<string, Promise<readonly string[]>>();

  constructor({ folder }: Folder) {
    this.#folder = folder;
  }

  /** The first reference of a task file to what is outside of the folder, as the end of a sentence; null if there is none. */
  async reasonAgainst(file: string): Promise<string | null> {
    const folder = dirname(file);
    const link = await getOrCreate(this.#links, folder, () => this.#findLinkToCode(folder));
    if (link !== null) return `${link} next to it is a link out of ${this.#folder}`;
    const module = PYTHON.test(file) ? await this.#moduleOutside(file, MAX_IMPORTS) : null;
    if (module !== null) return `it imports ${relative(folder, module)}, which is outside of ${this.#folder}`;
    return await this.#outsideOf(await loadFoundTaskFile(file));
  }

  async #findLinkToCode(folder: string): Promise<string | null> {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isSymbolicLink() || !(isFunctionsFileName(entry.name) || entry.name === HUD_CODE)) continue;
      if (await leadsOut(join(folder, entry.name), this.#folder)) return entry.name;
    }
    return null;
  }

  /** A module outside of the folder that a Python file imports, also through others. */
  async #moduleOutside(file: string, depth: number, visited = new Set<string>()): Promise<string | null> {
    for (const path of await getOrCreate(this.#modules, file, () => modulesOf(file))) {
      if (visited.has(path)) continue;
      visited.add(path);
      if (await leadsOut(path, this.#folder)) return path;
      const module = depth > 1 ? await this.#moduleOutside(path, depth - 1, visited) : null;
      if (module !== null) return module;
    }
    return null;
  }

  async #outsideOf({ file, rows }: TaskFile): Promise<string | null> {
    const folder = dirname(file);
    for (const { path } of solutionsBeside(file, rows)) {
      if (await leadsOut(path, this.#folder)) return `${basename(path)} next to it is a link out of ${this.#folder}`;
    }
    const outside = `which is outside of ${this.#folder}`;
    for (const path of new Set(rows.flatMap(({ task }) => (task === null ? [] : hudCodeOf(task))))) {
      if (await leadsOut(path, this.#folder)) return `it runs ${relative(folder, path)}, ${outside}`;
    }
    for (const name of rows.flatMap(({ value }) => [...pathsIn(value)])) {
      if (await leadsOut(pathOf(name, folder), this.#folder)) return `it names “${name}”, ${outside}`;
    }
    return null;
  }
}

/** The modules that exist, of those that a Python file imports. */
async function modulesOf(file: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const path of importedFiles(file, moduleText(file) ?? '')) {
    if ((await kindAt(path)) === 'file') paths.push(path);
  }
  return paths;
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

/** The path of a file that a row names, which can be a `file:` URL. */
function pathOf(name: string, folder: string): string {
  try {
    return fileURLToPath(name);
  } catch {
    // It is a path, or the URL of something else.
    return resolve(folder, name);
  }
}
