import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { endChildrenOf } from '../environments/descendants.ts';
import { identify, isRunning, killGroup, type ProcessIdentity, processIdentitySchema } from './processes.ts';

/**
 * Longest path of a folder that still leaves room for a session's folder, and in it for the socket that a browser makes
 * (`.org.chromium.Chromium.123456/SingletonSocket`; `sun_path` holds 104 bytes on macOS).
 */
const LONGEST_FOLDER = 44;
const NAME = /^taskwright-[0-9a-f]{12}$/;
/** Of a folder that does not say yet whose it is: its name says it, by this machine and the process that makes it. */
const STAGED = /^taskwright-[0-9a-f]{12}-([0-9a-f]{8})-(\d+)$/;
const OWNER = 'owner.json';
/** A folder that is so old, in ms, and does not say whose it is, is not just being made or removed. */
const UNOWNED = 60_000;

const ownerSchema = z.object({
  host: z.string(),
  owner: processIdentitySchema,
  /** What the owner has started and has not seen end: browser, sessions. Each leads a process group. */
  started: z.array(processIdentitySchema),
});

/** Where an environment server may put its folder: a new name each time. */
export function newFolderPath(): string {
  const name = `taskwright-${randomBytes(6).toString('hex')}`;
  const path = join(tmpdir(), name);
  return process.platform !== 'win32' && Buffer.byteLength(path) > LONGEST_FOLDER ? join('/tmp', name) : path;
}

/**
 * The folder that an environment server keeps everything in: temporary files, the browser's profile, the files of tasks.
 * It says in it who it is and what it has started, so that a later one can clear away what a killed one left.
 */
export class ServerFolder {
  readonly path: string;
  readonly #started = new Map<number, ProcessIdentity>();
  #owner: ProcessIdentity = { pid: process.pid, started: null };
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes the folder, for this user only. */
  static async create(path: string): Promise<ServerFolder> {
    const folder = new ServerFolder(path);
    folder.#owner = await identify(process.pid);
    // Under its own name it never stands without its owner, whenever this process is killed.
    const staged = `${path}-${thisHost()}-${process.pid}`;
    await mkdir(staged, { mode: 0o700 });
    await writeFile(join(staged, OWNER), folder.#text());
    await rename(staged, path);
    return folder;
  }

  /** Notes a process that was started. */
  async add(pid: number): Promise<void> {
    this.#started.set(pid, await identify(pid));
    await this.#write();
  }

  /** Notes that a process has ended. */
  async delete(pid: number): Promise<void> {
    if (this.#started.delete(pid)) await this.#write();
  }

  async remove(): Promise<void> {
    // Whoever noted something has heard that it could not be written.
    await this.#writing.catch(() => {});
    await removeTree(this.path);
  }

  #text(): string {
    return JSON.stringify({ host: hostname(), owner: this.#owner, started: [...this.#started.values()] });
  }

  #write(): Promise<void> {
    // Whoever noted the last is told; this writes that one, too.
    this.#writing = this.#writing
      .catch(() => {})
      .then(async () => {
        await writeFile(join(this.path, `${OWNER}.new`), this.#text());
        await rename(join(this.path, `${OWNER}.new`), join(this.path, OWNER));
      });
    return this.#writing;
  }
}

/** Clears away what a server that has ended left: what it started is killed, its folder removed. */
export async function clearFolder(path: string): Promise<void> {
  // Without it nothing is known to have been started.
  const text = await readFile(join(path, OWNER), 'utf8').catch(() => null);
  const left = text === null ? null : readOwner(text);
  for (const started of left?.started ?? []) {
    // Without its start time a process cannot be told from a stranger that has its number now.
    if (started.started === null || !(await isRunning(started))) continue;
    // Those that left its group are its children only as long as it runs.
    endChildrenOf(started.pid);
    killGroup(started.pid);
  }
  await removeTree(path);
  const parent = dirname(path);
  // Where there is no such folder nothing was left in it.
  for (const name of await readdir(parent).catch(() => [])) {
    if (STAGED.test(name) && name.startsWith(`${basename(path)}-`)) await removeTree(join(parent, name));
  }
}

/** Clears away the folders of servers in `parent` whose owners have died. Says which. */
export async function clearAbandoned(parent: string): Promise<string[]> {
  const cleared: string[] = [];
  // Where there is no such folder nothing was left in it.
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name);
    if ((NAME.test(name) && (await isAbandoned(path))) || (await isAbandonedStage(path))) {
      await clearFolder(path);
      cleared.push(path);
    }
  }
  return cleared;
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const stat = await lstat(path);
    if (!stat.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) return false;
    const text = await readFile(join(path, OWNER), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    // A browser that was killed while it started may have written once more when all was removed.
    if (text === null) return Date.now() - stat.mtimeMs > UNOWNED;
    const left = readOwner(text);
    return left !== null && left.host === hostname() && !(await isRunning(left.owner));
  } catch {
    // Somebody else's, just being made, or just being removed.
    return false;
  }
}

async function isAbandonedStage(path: string): Promise<boolean> {
  const [, host, pid] = STAGED.exec(basename(path)) ?? [];
  if (host !== thisHost()) return false;
  const stat = await lstat(path).catch(() => null);
  if (stat === null || !stat.isDirectory() || stat.uid !== (process.getuid?.() ?? stat.uid)) return false;
  return !(await isRunning({ pid: Number(pid), started: null }));
}

function thisHost(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

function readOwner(text: string): z.infer<typeof ownerSchema> | null {
  try {
    return ownerSchema.parse(JSON.parse(text));
  } catch {
    // Written by another version, or not by us: nothing of it is touched.
    return null;
  }
}

async function removeTree(path: string): Promise<void> {
  // A killed browser's last processes may still write while its folder is being removed.
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
