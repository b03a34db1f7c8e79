import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isNotFound } from '../base/file-kind.ts';
import { jobsFolder } from '../runs/job/job.ts';
import { folders } from '../traces/store.ts';
import { readHeader, TraceError } from '../traces/trace-file.ts';
import { inside, leadsOut } from './inside.ts';
import { checkTaskFile } from './tasks-inside.ts';
import { TaskToolError, type ToolHost } from './tool.ts';

type Folder = Pick<ToolHost, 'folder'>;

/** As `inside`, for the folder of a run or a job. Also rejects if a link in it leads out of the folder of the host. */
export async function runInside(given: string, host: Folder): Promise<string> {
  const { folder } = host;
  const checked = await inside(given, host);
  for (const entry of await entriesBelow(resolve(folder, checked))) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink() && (await leadsOut(path, folder))) {
      throw new TaskToolError(`${relative(folder, path)} is a link out of ${folder}.`);
    }
  }
  return checked;
}

/** As `runInside`. Also rejects if the task of a run is outside of the folder of the host, or leads out of it. */
export async function rescoredInside(given: string, host: Folder): Promise<string> {
  const checked = await runInside(given, host);
  const files = new Set<string>();
  const path = resolve(host.folder, checked);
  for (const run of [path, ...(await runsBelow(path))]) {
    try {
      files.add((await readHeader(join(run, 'trace.jsonl'))).task.file);
    } catch (error) {
      // The command reports what cannot be read.
      if (!(error instanceof TraceError)) throw error;
    }
  }
  for (const file of files) {
    await inside(file, host);
    await checkTaskFile(file, host);
  }
  return checked;
}

/** Rejects with `TaskToolError` if runs would be recorded outside of the folder of the host. */
export async function checkJobsInside(host: Folder): Promise<void> {
  await inside(jobsFolder(host.folder), host);
}

/** The folders in the folder of a job. */
async function runsBelow(path: string): Promise<readonly string[]> {
  try {
    return (await folders(path)).map((name) => join(path, name));
  } catch (error) {
    // The command reports that there is none.
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function entriesBelow(path: string) {
  try {
    return await readdir(path, { recursive: true, withFileTypes: true });
  } catch (error) {
    // The command reports that there is none.
    if (isNotFound(error)) return [];
    throw error;
  }
}
