import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { isNotFound } from '../../tasks/file-kind.ts';

/**
 * While a run is being made its folder names the process that makes it, so that a reader can tell a run that goes on
 * from one whose process was killed.
 */
const OWNER_FILE = 'owner.json';
const ownerSchema = z.object({ pid: z.number().int().positive(), host: z.string(), born: z.string().nullable() });

/** When a process began, in the system's own ticks: tells a process from a later one with the same id. Linux only. */
function birthOf(pid: number): string | null {
  if (process.platform !== 'linux') return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold spaces and brackets itself; the start time is field 22, the name field 2.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

export async function claim(runFolder: string): Promise<void> {
  const owner = { pid: process.pid, host: hostname(), born: birthOf(process.pid) };
  await writeFile(join(runFolder, OWNER_FILE), JSON.stringify(owner));
}

export async function release(runFolder: string): Promise<void> {
  await rm(join(runFolder, OWNER_FILE), { force: true });
}

/** True where the process that makes this run is alive. A run of another machine counts as alive: it cannot be asked. */
export async function isOwned(runFolder: string): Promise<boolean> {
  let text: string;
  try {
    text = await readFile(join(runFolder, OWNER_FILE), 'utf8');
  } catch (error) {
    if (isNotFound(error)) return false;
    // A run that may go on must not be shown as broken off, nor be deleted.
    throw error;
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Cut short: its process was killed as it began.
    return false;
  }
  const owner = ownerSchema.safeParse(json);
  if (!owner.success) return false;
  if (owner.data.host !== hostname()) return true;
  try {
    process.kill(owner.data.pid, 0);
  } catch (error) {
    // EPERM: alive, but another person's.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return owner.data.born === null || owner.data.born === birthOf(owner.data.pid);
}
