import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as z from 'zod';

const run = promisify(execFile);

/** How much of a list of all processes is read, in bytes. */
const MOST_LISTED = 64 * 1024 * 1024;

/** A process told apart from a later one with the same number. `started`: opaque, null where this system does not say. */
export const processIdentitySchema = z.object({ pid: z.number().int().min(1), started: z.string().nullable() });
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, started: await startTime(pid) };
}

/** When a process started, in this system's own words; null where there is no such process or it cannot be told. */
async function startTime(pid: number): Promise<string | null> {
  try {
    if (process.platform === 'linux') {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      // The name in parentheses may hold anything; `starttime` is field 22, the 20th after it (proc(5)).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? null : (fields[19] ?? null);
    }
    if (process.platform === 'win32') return null;
    const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)]);
    return stdout.trim() || null;
  } catch {
    // It has gone, or there is no `ps`.
    return null;
  }
}

/** The process that leads a process's group: what a browser's program is may be a script that starts it. */
export async function leaderOf(pid: number): Promise<number> {
  if (process.platform !== 'linux') return pid;
  // One that has gone leads nobody.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // `pgrp` is field 5 (proc(5)).
  const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  return Number.isInteger(group) && group > 1 ? group : pid;
}

/**
 * Kills the processes, and their groups, that got a folder as the value of an option (`--database=FOLDER/…`). Does nothing on
 * Windows, or where there is no `ps`.
 */
export async function killWithFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const listed = await run('ps', ['-A', '-ww', '-o', 'pid=,args='], { maxBuffer: MOST_LISTED }).catch(() => null);
  const lines = listed?.stdout.split('\n').filter((line) => line.includes(`=${folder}`)) ?? [];
  for (const line of lines) killGroup(Number.parseInt(line, 10));
}

/** True where that very process still runs; where its start is not known, a process of that number. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  if (identity.started === null) return true;
  return (await startTime(identity.pid)) === identity.started;
}

/**
 * Kills a process that leads a group of its own, with everything it started. Harmless where it has gone.
 * Windows has no groups: there its tree is ended.
 */
export function killGroup(pid: number): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true, stdio: 'ignore' });
    return;
  }
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It has gone, which is what was wanted.
    }
  }
}
