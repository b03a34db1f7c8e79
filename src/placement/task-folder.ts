import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Params } from '../server/protocol.ts';
import type { Task } from '../tasks/task.ts';

/** Never looked into when a task's folder is handed over. */
const LEFT_OUT = new Set(['node_modules', '__pycache__', 'venv']);
/** More than this is no folder of tasks but somebody's home. */
const MOST_BYTES = 256 * 1024 * 1024;

/** The files of a task's folder, for a server that cannot see this machine's. */
export async function filesOf(task: Task): Promise<Params<'session.reset'>['files']> {
  const folder = dirname(task.file);
  const contents: Record<string, Uint8Array<ArrayBuffer>> = {};
  let bytes = 0;
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      if (entry.name.startsWith('.') || LEFT_OUT.has(entry.name)) continue;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) await walk(path);
      // Links are not followed: they may lead out of the folder.
      if (!entry.isFile()) continue;
      const data = new Uint8Array(await readFile(join(folder, path)));
      bytes += data.length;
      if (bytes > MOST_BYTES)
        throw new Error(`The folder ${folder} holds more than 256 MB: give the tasks a folder of their own.`);
      contents[path] = data;
    }
  };
  await walk('');
  return { contents };
}
