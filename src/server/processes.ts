import { execFile, spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as z from 'zod';

const run = promisify(execFile);

/** Maximum size of the process list, in bytes. */
const MAX_PROCESS_LIST = 64 * 1024 * 1024;

/** Identifies a process even if its id is reused. `started`: opaque; null if the platform does not provide it. */
export const processIdentitySchema = z.object({ pid: z.number().int().min(1), started: z.string().nullable() });
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, started: await startTime(pid) };
}

/** The start time of a process in a platform-specific format; null if it does not exist or the time is unknown. */
async function startTime(pid: number): Promise<string | null> {
  try {
    if (process.platform === 'linux') {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      // The name in parentheses can contain anything. `starttime` is field 22, the 20th after it (proc(5)).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? null : (fields[19] ?? null);
    }
    if (process.platform === 'win32') return null;
    const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)]);
    return stdout.trim() || null;
  } catch {
    // The process has ended, or `ps` is missing.
    return null;
  }
}

/** The leader of the process group of a process: a browser may be started by a script. */
export async function leaderOf(pid: number): Promise<number> {
  if (process.platform !== 'linux') return pid;
  // The process has ended.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // `pgrp` is field 5 (proc(5)).
  const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  return Number.isInteger(group) && group > 1 ? group : pid;
}

/**
 * Kills the process groups with an option whose value is in a folder (`--database=FOLDER/…`). Does nothing on Windows,
 * nor without `ps` elsewhere than on Linux.
 */
export async function killWithFolder(folder: string): Promise<void> {
  for await (const { pid, command } of commandLines()) {
    if (command.includes(`=${folder}`)) killGroup(pid);
  }
}

interface CommandLine {
  readonly pid: number;
  /** With a NUL character (Linux) or a space after each argument. */
  readonly command: string;
}

async function* commandLines(): AsyncGenerator<CommandLine> {
  if (process.platform === 'win32') return;
  if (process.platform === 'linux') {
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      // The process has ended.
      yield { pid: Number(name), command: await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '') };
    }
    return;
  }
  // `ps` is missing.
  const listed = await run('ps', ['-A', '-ww', '-o', 'pid=,args='], { maxBuffer: MAX_PROCESS_LIST }).catch(() => null);
  for (const line of listed?.stdout.split('\n') ?? []) yield { pid: Number.parseInt(line, 10), command: line };
}

/** Whether the process is running. If its start time is unknown, whether any process with this id is. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  if (identity.started === null) return true;
  return (await startTime(identity.pid)) === identity.started;
}

/** Kills a process group; on Windows, which has none, the process tree. Does nothing if it has ended. */
export function killGroup(pid: number): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true, stdio: 'ignore' });
    return;
  }
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
}
