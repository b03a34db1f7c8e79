import { randomBytes } from 'node:crypto';
import { constants, copyFile, link, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { isNotFound, readOrdinaryFile } from '../base/file-kind.ts';
import { parseAs } from '../base/json-validator.ts';
import { isSystemError } from '../base/system-error.ts';
import { exists } from '../processes/identity.ts';
import { readStat } from '../processes/stat.ts';

/**
 * Names the process of a run or job while it is in progress, so that readers can distinguish a running process from one
 * that was killed.
 */
const OWNER_FILE = 'owner.json';
/** `born`: start time of the process in clock ticks, to distinguish it from a later one with the same id. Linux only. */
const ownerSchema = z.object({ pid: z.number().int().positive(), host: z.string(), born: z.string().nullable() });

export async function writeOwner(runFolder: string): Promise<void> {
  await writeFile(join(runFolder, OWNER_FILE), thisProcess());
}

/**
 * Makes this process the owner of a run or job; false if another one owns it. Of several processes that claim a folder
 * without an owner at the same time, one succeeds.
 */
export function claim(runFolder: string): Promise<boolean> {
  return claimFile(join(runFolder, OWNER_FILE));
}

async function claimFile(path: string): Promise<boolean> {
  const own = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    // A link never replaces a file, and its file is complete from the start.
    await writeFile(own, thisProcess());
    if (await tryLink(own, path)) return true;
    if ((await ownerIn(path)) !== null) return false;
    // The owner has ended. Only one process at a time may replace it.
    const replacing = `${path}.next`;
    if (!(await claimFile(replacing))) return false;
    try {
      if ((await ownerIn(path)) !== null) return false;
      await rename(own, path);
      return true;
    } finally {
      await rm(replacing, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Links a file to a path; false if there is a file. On file systems without links, such as FAT, it is copied. */
async function tryLink(file: string, path: string): Promise<boolean> {
  try {
    await link(file, path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPERM' && error.code !== 'ENOTSUP') throw error;
      await copyFile(file, path, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function thisProcess(): string {
  return JSON.stringify({ pid: process.pid, host: hostname(), born: readStat(process.pid)?.startTime ?? null });
}

export async function release(runFolder: string): Promise<void> {
  await rm(join(runFolder, OWNER_FILE), { force: true });
}

/** Whether the process of this run is alive. Processes of other machines count as alive, because they cannot be checked. */
export async function isOwned(runFolder: string): Promise<boolean> {
  return (await ownerOf(runFolder)) !== null;
}

/** The process of a run or job. */
export interface Owner {
  readonly pid: number;
  /** The machine that it is on; null for this one. Of another machine's process it is not known whether it has ended. */
  readonly host: string | null;
}

/** What to do about an owner, as sentences of a message. */
export function adviceFor(owner: Owner | null): string {
  if (owner === null || owner.host === null) return 'Stop it first.';
  const { pid, host } = owner;
  return `Process ${pid} on ${host} works on it. If that has ended, delete ${OWNER_FILE} in the folder.`;
}

/** The process of a run or job; null if it has ended. */
export function ownerOf(runFolder: string): Promise<Owner | null> {
  return ownerIn(join(runFolder, OWNER_FILE));
}

async function ownerIn(file: string): Promise<Owner | null> {
  let text: string;
  try {
    text = (await readOrdinaryFile(file)).toString('utf8');
  } catch (error) {
    // Only a file can name an owner.
    if (isNotFound(error) || !isSystemError(error)) return null;
    // A run that may be in progress must not be shown as interrupted or deleted.
    throw error;
  }
  const owner = parseAs(ownerSchema, text);
  // Incomplete: the process was killed while it started.
  if (owner === null) return null;
  const { pid, host, born } = owner;
  if (host !== hostname()) return { pid, host };
  if (!exists(pid)) return null;
  return born === null || born === readStat(pid)?.startTime ? { pid, host: null } : null;
}
