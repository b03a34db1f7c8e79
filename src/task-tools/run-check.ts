import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { nullIfNotFound } from '../base/file-kind.ts';
import { folders } from '../traces/store.ts';
import { readHeader, TraceError } from '../traces/trace-file.ts';
import { checkPath, leadsOut } from './path-check.ts';
import { checkTaskFile } from './task-check.ts';
import { TaskToolError, type ToolHost } from './tool.ts';

type Folder = Pick<ToolHost, 'folder'>;

/** As `checkPath`, for the folder of a run or a job. Also rejects if a link in it leads out of the folder of the host. */
export async function checkRun(run: string, host: Folder): Promise<string> {
  const { folder } = host;
  const relativePath = await checkPath(run, host);
  const options = { recursive: true, withFileTypes: true } as const;
  // The command reports a missing folder.
  const entries = await readdir(resolve(folder, relativePath), options).catch(nullIfNotFound);
  for (const entry of entries ?? []) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink() && (await leadsOut(path, folder))) {
      throw new TaskToolError(`${relative(folder, path)} is a link out of ${folder}.`);
    }
  }
  return relativePath;
}

/** As `checkRun`. Also rejects if the task of a run is outside of the folder of the host, or leads out of it. */
export async function checkRescoring(run: string, host: Folder): Promise<string> {
  const relativePath = await checkRun(run, host);
  const files = new Set<string>();
  const path = resolve(host.folder, relativePath);
  // The command reports a missing folder.
  const names = (await folders(path).catch(nullIfNotFound)) ?? [];
  for (const runFolder of [path, ...names.map((name) => join(path, name))]) {
    try {
      files.add((await readHeader(join(runFolder, 'trace.jsonl'))).task.file);
    } catch (error) {
      // The command reports what cannot be read.
      if (!(error instanceof TraceError)) throw error;
    }
  }
  for (const file of files) {
    await checkPath(file, host);
    await checkTaskFile(file, host);
  }
  return relativePath;
}
