import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Removes a folder that an agent may have filled, if it exists. Retries while files are being written. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  } catch (error) {
    if (process.platform === 'win32') throw error;
    // These programs can remove folders without permissions, and folders nested deeper than the path limit. What `chmod`
    // does not change, `rm` reports.
    await promisify(execFile)('chmod', ['-R', 'u+rwX', '--', path]).catch(() => {});
    await promisify(execFile)('rm', ['-rf', '--', path]).catch(() => {
      throw error;
    });
  }
}
