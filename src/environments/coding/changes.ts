import { createHash } from 'node:crypto';
import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../base/defined.ts';
import { AgentFault } from '../../functions/agent-fault.ts';
import type { FileChange, FileMode } from '../../functions/declaration.ts';
import type { RecordedFileChange } from '../recorded.ts';
import { entriesOf } from '../withheld.ts';
import { modeOf, readAsItIs, readLinkAsItIs, readWithin } from '../workspace/folder.ts';
import type { InitialFiles } from './check-out.ts';

/** Folders and files that tools create, which do not count as changes. */
const LEFT_OUT = new Set([
  '.git',
  'node_modules',
  '__pycache__',
  '.pytest_cache',
  '.venv',
  'venv',
  '.mypy_cache',
  '.ruff_cache',
]);
/** The maximum number of files that are checked. */
const MAX_FILES = 20_000;
/** The maximum number of reported changes. */
export const MAX_CHANGES = 500;
/** The maximum size of a recorded file in bytes. A larger file is only named. */
const MAX_RECORDED = 1024 * 1024;
/** The maximum size of all contents that a step records, in bytes. Further files are only named. */
const MAX_RECORDED_AT_ONCE = 16 * 1024 * 1024;
/** The maximum size of a file that is read, in bytes. */
const MAX_COMPARED = 10 * 1024 * 1024;
/** The maximum size of all changes in memory, in bytes. Further files are only named. */
const MAX_IN_MEMORY = 64 * 1024 * 1024;

type Stamp = Pick<Stats, 'size' | 'mtimeMs' | 'ctimeMs'> & { readonly mode: FileMode };

/** The changes of a step, and the texts that no earlier step has recorded, by name. */
export interface RecordedChanges {
  readonly changes: readonly RecordedFileChange[];
  readonly contents: Readonly<Record<string, Uint8Array>>;
}

/** Finds the changed files and links in a folder since the task started. A link is compared by its target. */
export class Changes {
  readonly #folder: string;
  readonly #initial: InitialFiles;
  #startStamps: ReadonlyMap<string, Stamp>;
  /** Files that setup calls have changed. */
  readonly #setupFiles = new Map<string, Uint8Array | null>();
  /** Compared files with their stamps, and whether they differed. */
  readonly #comparisons = new Map<string, { readonly stamp: Stamp; readonly differs: boolean }>();
  /** The names of texts that an earlier step has recorded. */
  readonly #recordedNames = new Set<string>();

  /** Create this after the initial files exist. */
  constructor(folder: string, initial: InitialFiles) {
    this.#folder = realpathSync(folder);
    this.#initial = initial;
    this.#startStamps = stampsIn(this.#folder);
  }

  /** The paths of the initial files, sorted, without links. */
  get paths(): readonly string[] {
    return [...this.#startStamps].flatMap(([path, { mode }]) => (mode === '120000' ? [] : path)).toSorted();
  }

  /** Makes the current state the initial state. */
  async start(): Promise<void> {
    for (const { path, after } of await this.all()) this.#setupFiles.set(path, after);
    this.#startStamps = stampsIn(this.#folder);
    this.#comparisons.clear();
  }

  async all(): Promise<readonly FileChange[]> {
    const changes: FileChange[] = [];
    let size = 0;
    const add = (change: FileChange): void => {
      changes.push(change);
      size += (change.before?.length ?? 0) + (change.after?.length ?? 0);
    };
    const now = stampsIn(this.#folder);
    for (const [path, stamp] of now) {
      const old = this.#startStamps.get(path);
      if (old !== undefined && same(old, stamp)) continue;
      const comparison = this.#comparisons.get(path);
      if (comparison !== undefined && same(comparison.stamp, stamp) && !comparison.differs) continue;
      const isFull = size + stamp.size > MAX_IN_MEMORY;
      const after = isFull ? null : this.#after(path, stamp);
      const afterMode = stamp.mode;
      if (old === undefined) {
        add({ path, kind: 'added', before: null, after, afterMode });
        continue;
      }
      const before = isFull ? null : await this.#before(path);
      const beforeMode = old.mode;
      const differs =
        beforeMode !== afterMode || before === null || after === null || !Buffer.from(before).equals(after);
      if (!isFull) this.#comparisons.set(path, { stamp, differs });
      if (differs) add({ path, kind: 'changed', before, after, beforeMode, afterMode });
    }
    for (const [path, stamp] of this.#startStamps) {
      if (now.has(path)) continue;
      const isFull = size + stamp.size > MAX_IN_MEMORY;
      const before = isFull ? null : await this.#before(path);
      add({ path, kind: 'removed', before, after: null, beforeMode: stamp.mode });
    }
    return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  #after(path: string, { size, mode }: Stamp): Uint8Array | null {
    if (mode === '120000') return readLinkAsItIs(this.#folder, path);
    return size > MAX_COMPARED ? null : readAsItIs(this.#folder, path, MAX_COMPARED);
  }

  async #before(path: string): Promise<Uint8Array | null> {
    const content = this.#setupFiles.get(path);
    return content === undefined ? this.#initial.read(path) : content;
  }

  /** The changes to record. */
  async record(): Promise<RecordedChanges> {
    const contents: Record<string, Uint8Array> = {};
    let size = 0;
    const nameOf = (bytes: Uint8Array | null): string | undefined => {
      if (bytes === null || bytes.length > MAX_RECORDED || bytes.includes(0)) return undefined;
      const name = createHash('sha256').update(bytes).digest('hex');
      if (this.#recordedNames.has(name)) return name;
      if (size + bytes.length > MAX_RECORDED_AT_ONCE) return undefined;
      size += bytes.length;
      contents[name] = bytes;
      this.#recordedNames.add(name);
      return name;
    };
    const changes: RecordedFileChange[] = [];
    for (const { before, after, beforeMode, afterMode, ...change } of (await this.all()).slice(0, MAX_CHANGES)) {
      const fields = {
        ...change,
        before: nameOf(before),
        after: nameOf(after),
        before_mode: beforeMode,
        after_mode: afterMode,
      };
      const link = afterMode === '120000' && after !== null ? await this.#link(change.path, after, nameOf) : {};
      changes.push(defined({ ...fields, ...link }));
    }
    return { changes, contents };
  }

  /** The target of a link, and what functions read through it. */
  async #link(
    path: string,
    target: Uint8Array,
    nameOf: (content: Uint8Array | null) => string | undefined,
  ): Promise<Pick<RecordedFileChange, 'target' | 'link_content' | 'link_fault'>> {
    const reading = await readWithin(this.#folder, path, this.#folder).catch((error: Error) => error);
    return defined({
      target: Buffer.from(target).toString('utf8'),
      link_content: reading instanceof Error ? undefined : nameOf(reading),
      link_fault: reading instanceof AgentFault ? reading.message : undefined,
    });
  }
}

function stampsIn(folder: string): Map<string, Stamp> {
  const stamps = new Map<string, Stamp>();
  const walk = (path: string, below: string): void => {
    // A background process may have removed it, or it is not readable.
    for (const entry of entriesOf(path)) {
      if (LEFT_OUT.has(entry.name) || stamps.size >= MAX_FILES) continue;
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) walk(join(path, entry.name), name);
      else if (entry.isFile() || entry.isSymbolicLink()) {
        const stamp = stampOf(join(path, entry.name));
        if (stamp !== undefined) stamps.set(name, stamp);
      }
    }
  };
  if (isOwn(folder)) walk(folder, '');
  return stamps;
}

/** Whether a folder still exists, and no link has taken its place. */
function isOwn(folder: string): boolean {
  try {
    return realpathSync(folder) === folder;
  } catch {
    // It was removed.
    return false;
  }
}

/** Undefined for a file that was removed meanwhile, or that is in a folder whose files are not accessible. */
function stampOf(path: string): Stamp | undefined {
  try {
    const stats = lstatSync(path);
    const { size, mtimeMs, ctimeMs } = stats;
    return { size, mtimeMs, ctimeMs, mode: modeOf(stats) };
  } catch {
    return undefined;
  }
}

function same(a: Stamp, b: Stamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.mode === b.mode;
}
