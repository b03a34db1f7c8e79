import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * Removes a folder that an agent may have filled, or nothing where there is none. What is still being written to is
 * removed again for a while.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  } catch (error) {
    if (process.platform === 'win32') throw error;
    // Folders without permissions, or nested deeper than a path can be long: these programs manage both.
    await promisify(execFile)('chmod', ['-R', 'u+rwX', '--', path]).catch(() => {});
    await promisify(execFile)('rm', ['-rf', '--', path]).catch(() => {
      throw error;
    });
  }
}
