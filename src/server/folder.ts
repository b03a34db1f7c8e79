import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { nullIfNotFound } from '../base/file-kind.ts';
import { parseAs } from '../base/json-validator.ts';
import { removeTree } from '../base/remove-tree.ts';
import { endChildrenOf } from '../processes/children.ts';
import { killWithGroup } from '../processes/groups.ts';
import { identify, isRunning, type ProcessIdentity, processIdentitySchema } from '../processes/identity.ts';

/**
 * Maximum path length that leaves room for the folder of a session and the socket that a browser creates in it
 * (`.org.chromium.Chromium.123456/SingletonSocket`; `sun_path` has 104 bytes on macOS).
 */
const MAX_FOLDER = 44;
const NAME = /^taskwright-[0-9a-f]{12}$/;
/** A folder without `owner.json` yet. Its name contains a hash of the host and the process id of its owner. */
const STAGED = /^taskwright-[0-9a-f]{12}-([0-9a-f]{8})-(\d+)$/;
const OWNER = 'owner.json';
/** A folder without `owner.json` that is older than this, in ms, is abandoned. */
const UNOWNED = 60_000;

const ownerSchema = z.object({
  host: z.string(),
  owner: processIdentitySchema,
  /** Process groups that the owner has started and that have not ended: browsers, sessions. */
  started: z.array(processIdentitySchema),
});

/** A new path for the folder of an environment server. */
export function newFolderPath(): string {
  const name = `taskwright-${randomBytes(6).toString('hex')}`;
  const path = join(tmpdir(), name);
  return process.platform !== 'win32' && Buffer.byteLength(path) > MAX_FOLDER ? join('/tmp', name) : path;
}

/**
 * The folder of an environment server: temporary files, browser profiles, files of tasks. It records its owner and the
 * processes that the owner has started, so that another server can clean up after a killed one.
 */
export class ServerFolder {
  readonly path: string;
  readonly #processes = new Map<number, ProcessIdentity>();
  #owner: ProcessIdentity = { pid: process.pid, started: null };
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string) {
    this.path = path;
  }

  /** Creates the folder, for this user only. */
  static async create(path: string): Promise<ServerFolder> {
    const folder = new ServerFolder(path);
    folder.#owner = await identify(process.pid);
    // Created under a temporary name, so that it never exists under its final name without `owner.json`.
    const stage = `${path}-${thisHost()}-${process.pid}`;
    await mkdir(stage, { mode: 0o700 });
    await writeFile(join(stage, OWNER), folder.#text());
    await rename(stage, path);
    return folder;
  }

  /** Records a process that was started. */
  async add(pid: number): Promise<void> {
    this.#processes.set(pid, await identify(pid));
    await this.#write();
  }

  /** Records that a process has ended. */
  async delete(pid: number): Promise<void> {
    if (this.#processes.delete(pid)) await this.#write();
  }

  async remove(): Promise<void> {
    // The caller of `add` or `delete` handles the error.
    await this.#writing.catch(() => {});
    await removeTree(this.path);
  }

  #text(): string {
    return JSON.stringify({ host: hostname(), owner: this.#owner, started: [...this.#processes.values()] });
  }

  #write(): Promise<void> {
    // The earlier caller handles the error; this write includes that change.
    this.#writing = this.#writing
      .catch(() => {})
      .then(async () => {
        await writeFile(join(this.path, `${OWNER}.new`), this.#text());
        await rename(join(this.path, `${OWNER}.new`), join(this.path, OWNER));
      });
    return this.#writing;
  }
}

/** Cleans up after a server that has ended: kills what it has started and removes its folder. */
export async function clearFolder(path: string): Promise<void> {
  // Without the file, no processes are known.
  const text = await readFile(join(path, OWNER), 'utf8').catch(() => null);
  const previous = text === null ? null : parseAs(ownerSchema, text);
  for (const identity of previous?.started ?? []) {
    // Without a start time, the process id may have been reused.
    if (identity.started === null || !(await isRunning(identity))) continue;
    // Processes that have left its group are its children only while it runs.
    endChildrenOf(identity.pid);
    killWithGroup(identity.pid);
  }
  await removeTree(path);
  const parent = dirname(path);
  // A missing folder is empty.
  for (const name of await readdir(parent).catch(() => [])) {
    if (STAGED.test(name) && name.startsWith(`${basename(path)}-`)) await removeTree(join(parent, name));
  }
}

/** Removes the folders of servers in `parent` whose owners have ended. Returns their paths. */
export async function clearAbandoned(parent: string): Promise<string[]> {
  const paths: string[] = [];
  // A missing folder is empty.
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name);
    if ((NAME.test(name) && (await isAbandoned(path))) || (await isAbandonedStage(path))) {
      await clearFolder(path);
      paths.push(path);
    }
  }
  return paths;
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const stat = await lstat(path);
    if (!stat.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) return false;
    const text = await readFile(join(path, OWNER), 'utf8').catch(nullIfNotFound);
    // A killed browser may have recreated the folder.
    if (text === null) return Date.now() - stat.mtimeMs > UNOWNED;
    const previous = parseAs(ownerSchema, text);
    // A text that is not in our format, possibly of another version, is left untouched.
    return previous !== null && previous.host === hostname() && !(await isRunning(previous.owner));
  } catch {
    // Owned by another user, or currently being created or removed.
    return false;
  }
}

async function isAbandonedStage(path: string): Promise<boolean> {
  const [, host, pid] = STAGED.exec(basename(path)) ?? [];
  if (host !== thisHost()) return false;
  // Another start has removed it.
  const stat = await lstat(path).catch(() => null);
  if (stat === null || !stat.isDirectory() || stat.uid !== (process.getuid?.() ?? stat.uid)) return false;
  return !(await isRunning({ pid: Number(pid), started: null }));
}

function thisHost(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}
