import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { FileChange } from '../../functions/declaration.ts';
import type { StepInfo } from '../environment.ts';
import { readAsItIs } from '../workspace/folder.ts';
import type { InitialFiles } from './start.ts';

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
const MAX_HELD = 64 * 1024 * 1024;

interface Stamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** The changes of a step, and the texts that no earlier step has recorded, by name. */
export interface RecordedChanges {
  readonly changes: NonNullable<StepInfo['changes']>;
  readonly contents: Readonly<Record<string, Uint8Array>>;
}

/** Finds the changes in a folder since the task started. */
export class Changes {
  readonly #folder: string;
  readonly #initial: InitialFiles;
  #start: ReadonlyMap<string, Stamp>;
  /** Files that setup calls have changed. */
  readonly #prepared = new Map<string, Uint8Array | null>();
  /** Compared files with their stamps, and whether they differed. */
  readonly #checked = new Map<string, { readonly stamp: Stamp; readonly differs: boolean }>();
  readonly #given = new Set<string>();

  /** Create this after the initial files exist. */
  constructor(folder: string, initial: InitialFiles) {
    this.#folder = realpathSync(folder);
    this.#initial = initial;
    this.#start = stampsIn(this.#folder);
  }

  /** The paths of the initial files, sorted. */
  get paths(): readonly string[] {
    return [...this.#start.keys()].toSorted();
  }

  /** Makes the current state the initial state. */
  async begin(): Promise<void> {
    for (const { path, after } of await this.all()) this.#prepared.set(path, after);
    this.#start = stampsIn(this.#folder);
    this.#checked.clear();
  }

  async all(): Promise<readonly FileChange[]> {
    const found: FileChange[] = [];
    let held = 0;
    const add = (change: FileChange): void => {
      found.push(change);
      held += (change.before?.length ?? 0) + (change.after?.length ?? 0);
    };
    const now = stampsIn(this.#folder);
    for (const [path, stamp] of now) {
      const old = this.#start.get(path);
      if (old !== undefined && same(old, stamp)) continue;
      const checked = this.#checked.get(path);
      if (checked !== undefined && same(checked.stamp, stamp) && !checked.differs) continue;
      const isFull = held + stamp.size > MAX_HELD;
      const after = isFull || stamp.size > MAX_COMPARED ? null : readAsItIs(this.#folder, path, MAX_COMPARED);
      if (old === undefined) {
        add({ path, kind: 'added', before: null, after });
        continue;
      }
      const before = isFull ? null : await this.#before(path);
      const differs = before === null || after === null || !Buffer.from(before).equals(after);
      if (!isFull) this.#checked.set(path, { stamp, differs });
      if (differs) add({ path, kind: 'changed', before, after });
    }
    for (const [path, { size }] of this.#start) {
      if (now.has(path)) continue;
      add({ path, kind: 'removed', before: held + size > MAX_HELD ? null : await this.#before(path), after: null });
    }
    return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  async #before(path: string): Promise<Uint8Array | null> {
    return this.#prepared.has(path) ? (this.#prepared.get(path) ?? null) : this.#initial.read(path);
  }

  /** The changes to record. */
  async recorded(): Promise<RecordedChanges> {
    const contents: Record<string, Uint8Array> = {};
    let recorded = 0;
    const keep = (bytes: Uint8Array | null): string | null => {
      if (bytes === null || bytes.length > MAX_RECORDED || bytes.includes(0)) return null;
      const name = createHash('sha256').update(bytes).digest('hex');
      if (this.#given.has(name)) return name;
      if (recorded + bytes.length > MAX_RECORDED_AT_ONCE) return null;
      recorded += bytes.length;
      contents[name] = bytes;
      this.#given.add(name);
      return name;
    };
    const changes = (await this.all()).slice(0, MAX_CHANGES).map(({ path, kind, before, after }) => {
      const [old, now] = [keep(before), keep(after)];
      return { path, kind, ...(old === null ? {} : { before: old }), ...(now === null ? {} : { after: now }) };
    });
    return { changes, contents };
  }
}

function stampsIn(folder: string): Map<string, Stamp> {
  const found = new Map<string, Stamp>();
  const walk = (path: string, below: string): void => {
    let entries: ReturnType<typeof entriesOf>;
    try {
      entries = entriesOf(path);
    } catch {
      // A background process has removed it, or it is not readable.
      return;
    }
    for (const entry of entries) {
      if (LEFT_OUT.has(entry.name) || found.size >= MAX_FILES) continue;
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) walk(join(path, entry.name), name);
      else if (entry.isFile()) {
        const stamp = factsOf(join(path, entry.name));
        if (stamp !== undefined) found.set(name, { size: stamp.size, mtimeMs: stamp.mtimeMs, ctimeMs: stamp.ctimeMs });
      }
    }
  };
  if (isOwn(folder)) walk(folder, '');
  return found;
}

/** Whether a folder is still where it was made, and no link has taken its place. */
function isOwn(folder: string): boolean {
  try {
    return realpathSync(folder) === folder;
  } catch {
    // It is gone.
    return false;
  }
}

/** Undefined for what has gone meanwhile, or is in a folder that we may list and not look into. */
function factsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function entriesOf(path: string) {
  return readdirSync(path, { withFileTypes: true });
}

function same(a: Stamp, b: Stamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}
