import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENT_HOME } from './agent-user.ts';
import type { Launcher } from './launcher.ts';
import { runToEnd } from './workspace.ts';

/** Creates a folder from an archive, with write access for all users who share it. */
const UNPACK = 'mkdir -- "$1" && tar -C "$1" -xpf - && chmod -R a+rwX -- "$1"';

/**
 * Moves a folder's content to a folder in the home of the agent's user, which owns it. Resolves with the new path, or with
 * the path of the folder if the agent has no user of its own.
 */
export async function handOver(folder: string, launcher: Launcher): Promise<string> {
  if (!launcher.isolated) return folder;
  const copy = join(AGENT_HOME, `work-${randomBytes(6).toString('hex')}`);
  const archive = spawn('tar', ['-C', folder, '-cf', '-', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const packing = new Promise<void>((resolve, reject) => {
    archive.once('error', reject);
    archive.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`tar failed (exit code ${code})`))));
  });
  await Promise.all([
    packing,
    runToEnd(launcher, 'sh', ['-c', UNPACK, 'sh', copy], { cwd: AGENT_HOME, input: archive.stdout }),
  ]);
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
  return copy;
}
