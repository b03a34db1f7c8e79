import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod';
import { readStat } from './stat.ts';

const run = promisify(execFile);

/** Identifies a process even if its id is reused. `started`: opaque; null if the platform does not provide it. */
export const processIdentitySchema = z.object({ pid: z.number().int().min(1), started: z.string().nullable() });
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, started: await startTime(pid) };
}

/** The start time of a process in a platform-specific format; null if it does not exist or the time is unknown. */
async function startTime(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const stat = readStat(pid);
    return stat === null || stat.state === 'Z' ? null : stat.startTime;
  }
  if (process.platform === 'win32') return null;
  // The process has ended, or `ps` is missing.
  const list = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => null);
  return list?.stdout.trim() || null;
}

/** Whether the process is running. If its start time is unknown, whether any process with this id is. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  if (!exists(identity.pid)) return false;
  return identity.started === null || (await startTime(identity.pid)) === identity.started;
}

/** Whether there is a process with this id, one that has ended and that nobody has waited for included. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
