import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { programEnvironment } from '../../processes/program-environment.ts';
import { connect } from '../docker/connection.ts';
import { removeOwned } from './remove.ts';

/**
 * Starts a process that removes what this process has in a swarm when this process ends in any way: lanes end without their
 * owner, but their services and networks remain. Returns a function that ends it.
 *
 * @param host see `namedHost`
 * @param label the value of the owner label
 */
export function startGuard(installation: string, host: string | undefined, label: string): () => void {
  const child = spawn(
    process.execPath,
    [join(installation, 'dist', 'guard.js'), label, ...(host === undefined ? [] : [host])],
    {
      // A process group of its own: Ctrl+C in a terminal is not for it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      windowsHide: true,
      env: programEnvironment(),
    },
  );
  // Without it, the next start removes what is left.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
  // A pipe is a socket, which can be left out of what keeps this process alive.
  (child.stdin as unknown as { unref(): void }).unref();
  return () => void child.kill('SIGKILL');
}

/** Removes what the process with this owner label has in the swarm of a manager. */
export async function removeFromSwarm(label: string, host: string | undefined): Promise<void> {
  const { docker } = await connect({ host });
  await removeOwned(docker, label);
}
