import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isOwned } from './owner.ts';
import { folders } from './store.ts';

/**
 * The modification times and owners of a folder of jobs (`.taskwright/jobs`), as one text that differs whenever a listing of
 * it may differ. File watchers can miss files in folders that were just created, and no watcher reports that a process died,
 * so a listing is kept up to date by comparing fingerprints.
 *
 * @param isSettled whether no more changes are expected in a job: then only the job's own folder is checked
 */
export async function fingerprintOfJobs(root: string, isSettled: (jobFolder: string) => boolean): Promise<string> {
  const names = await folders(root);
  const jobs = await Promise.all(
    names.map(async (name) => {
      const folder = join(root, name);
      if (isSettled(folder)) return fingerprintOf(folder);
      const runs = (await folders(folder)).map((run) => fingerprintOf(join(folder, run)));
      return [await fingerprintOf(folder), ...(await Promise.all(runs))].join(' ');
    }),
  );
  return jobs.sort().join('\n');
}

/** Entries that are added to, renamed in, or removed from a folder change its modification time. */
async function fingerprintOf(folder: string): Promise<string> {
  // A folder that was removed meanwhile has a fingerprint of its own.
  const stats = await stat(folder).catch(() => null);
  return stats === null ? `${folder} gone` : `${folder} ${stats.mtimeMs} ${await isOwned(folder)}`;
}
