import { type BigIntStats, type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isResourceExhausted } from '../base/resource-exhausted.ts';
import { taskClassFiles } from '../functions/user/python/class-files.ts';
import { modulePaths, taskModule } from '../functions/user/task-module.ts';
import { looksLikeTaskFile } from '../tasks/recognition.ts';
import type { Task } from '../tasks/task.ts';
import { type KnownFile, type Role, roleOfName } from './known-file.ts';

/** What identifies a file, whatever its name. */
type Facts = Pick<BigIntStats, 'dev' | 'ino' | 'nlink'>;

/**
 * The files of a recorded run that mention the task. Other files, such as the text of a changed file, may also exist in
 * the project.
 */
const RECORDS = new Set(['trace.jsonl', 'run.json', 'job.json']);

/**
 * The files of one run that its agent must not get. A file is recognized by its real path and by its device and inode
 * number, so a link of either kind, or a name in another case, leads to the same answer.
 */
export class Withheld {
  readonly #folder: string;
  readonly #paths = new Map<string, Role>();
  readonly #identities = new Map<string, Role>();
  #rolesByIdentity: ReadonlyMap<string, Role> | null = null;
  #all: readonly WithheldFile[] | null = null;

  /** @param folder the task's folder */
  constructor(folder: string, knownFiles: readonly KnownFile[]) {
    this.#folder = realPathOf(folder);
    for (const { path, role } of knownFiles) this.#add(resolve(folder, path), role);
    for (const entry of entriesOf(this.#folder)) {
      const role = roleOfName(entry.name);
      // A regular file is recognized by its name, but the target of a link may have another name.
      if (role !== null && entry.isSymbolicLink()) this.#add(join(this.#folder, entry.name), role);
    }
  }

  /** The files that a run withholds: those in `files`, the task file, and the modules of custom tasks. */
  static async ofTask(
    task: Pick<Task, 'file'>,
    files: { readonly folder: string; readonly withheld?: readonly KnownFile[] | undefined },
  ): Promise<Withheld> {
    const { folder, withheld = [] } = files;
    const modules = [...modulePaths(await taskModule(folder)), ...(await taskClassFiles(folder))];
    return new Withheld(folder, [
      ...withheld,
      // In a container the folder has another path.
      { path: basename(task.file), role: 'task' },
      ...modules.map((path) => ({ path, role: 'module' as const })),
    ]);
  }

  /**
   * The role of a file that is withheld, or null.
   * @param path the real path of the file
   * @param facts of the opened file; read from the disk if absent
   */
  roleOf(path: string, facts: Facts | null = factsOf(path)): Role | null {
    const byPath = this.#roleOfPath(path);
    if (byPath !== null || facts === null) return byPath;
    const identity = identityOf(facts);
    const role = this.#identities.get(identity);
    if (role !== undefined) return role;
    // Only a file with several hard links can have another name elsewhere.
    if (facts.nlink <= 1n) return null;
    this.#rolesByIdentity ??= new Map(this.#allFiles().map((one) => [one.identity, one.role]));
    return this.#rolesByIdentity.get(identity) ?? null;
  }

  /** The known files by their real paths, including targets of links next to the task, which may not exist elsewhere. */
  get known(): KnownFile[] {
    return [...this.#paths].map(([path, role]) => ({ path, role }));
  }

  /** Whether a known file that may be under version control is below a directory. */
  isAbove(directory: string): boolean {
    return [...this.#paths].some(([path, role]) => role !== 'trace' && path.startsWith(directory + sep));
  }

  /** Whether a directory is the task's own. */
  isTaskFolder(directory: string): boolean {
    return directory === this.#folder;
  }

  /** The files that are recognized by their content too. */
  get contents(): readonly KnownFile[] {
    return this.#allFiles().filter(({ hasOwnContent }) => hasOwnContent);
  }

  /**
   * The role of the withheld file that has the same content as this file; null for an empty file.
   * @param most a larger file is not compared, in bytes
   */
  roleOfContent(file: string, most: number): Role | null {
    const { size } = statSync(file);
    if (size === 0 || size > most) return null;
    const same = this.#allFiles().find(
      (one) => one.hasOwnContent && one.size === BigInt(size) && readFileSync(one.path).equals(readFileSync(file)),
    );
    return same?.role ?? null;
  }

  #add(path: string, role: Role): void {
    const real = realPathOf(path);
    this.#paths.set(real, role);
    const facts = factsOf(real);
    if (facts !== null) this.#identities.set(identityOf(facts), role);
  }

  #roleOfPath(path: string): Role | null {
    for (let at = path; ; at = dirname(at)) {
      const role = this.#paths.get(at);
      if (role !== undefined) return role;
      if (at === dirname(at)) return null;
    }
  }

  /** The known files, all files in known directories, and those beside the task that are recognized as such. */
  #allFiles(): readonly WithheldFile[] {
    if (this.#all !== null) return this.#all;
    const files: WithheldFile[] = [];
    const add = (path: string, role: Role): void => {
      const facts = factsOf(path);
      if (facts?.isFile() !== true) return;
      const hasOwnContent = role !== 'trace' || RECORDS.has(basename(path));
      files.push({ path, role, identity: identityOf(facts), size: facts.size, hasOwnContent });
    };
    const addBelow = (directory: string, role: Role): void => {
      for (const entry of entriesOf(directory)) {
        const path = join(directory, entry.name);
        if (entry.isDirectory()) addBelow(path, role);
        else add(path, role);
      }
    };
    for (const [path, role] of this.#paths) {
      add(path, role);
      addBelow(path, role);
    }
    for (const { name } of entriesOf(this.#folder)) {
      const path = join(this.#folder, name);
      const role = roleOfName(name) ?? (looksLikeTaskFile(path) ? 'task' : null);
      if (role !== null) add(path, role);
    }
    this.#all = files;
    return files;
  }
}

interface WithheldFile extends KnownFile {
  readonly identity: string;
  /** Bytes. */
  readonly size: bigint;
  /** Whether a file with the same content is withheld too. */
  readonly hasOwnContent: boolean;
}

/** The real path. For a missing file, the path below the real path of its nearest existing directory. */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isResourceExhausted(error)) throw error;
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), relative(parent, path));
  }
}

/** Null for a file that does not exist or cannot be accessed, which cannot be read either. */
function factsOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (isResourceExhausted(error)) throw error;
    return null;
  }
}

function identityOf({ dev, ino }: Facts): string {
  return `${dev}:${ino}`;
}

/** The entries of a directory; none if it is not a directory or cannot be listed. */
export function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (isResourceExhausted(error)) throw error;
    return [];
  }
}
