import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Folders that hold no code of an environment. */
const LEFT_OUT = new Set(['node_modules', '__pycache__', 'site-packages']);
/** Maximum number of Python files to look at. A folder with more is not the folder of one environment. */
const MAX_FILES = 2_000;
/** The file that says how OpenEnv serves an environment. */
const MANIFEST = 'openenv.yaml';
/** The file of a folder with recorded runs, which grows with each run and may hold Python files that agents wrote. */
const JOB_FILE = 'job.json';

/**
 * Changes when a Python file or the manifest of an environment does: in its folder and the folders in it. Empty if there is
 * no such file.
 * @param path of a file or a folder
 */
export async function sourceStamp(path: string): Promise<string> {
  const stats = await stat(path).catch(() => null);
  // Whoever starts the environment reports that it is missing.
  if (stats === null) return '';
  const stamps: string[] = [];
  const root = stats.isDirectory() ? path : dirname(path);
  await collect(root, root, stamps);
  return stamps.sort().join('\n');
}

async function collect(root: string, folder: string, stamps: string[]): Promise<void> {
  // Python cannot import from a folder that cannot be read either.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  if (folder !== root && entries.some(({ name }) => name === JOB_FILE)) return;
  for (const entry of entries) {
    if (stamps.length >= MAX_FILES) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!entry.name.startsWith('.') && !LEFT_OUT.has(entry.name)) await collect(root, path, stamps);
    } else if (entry.name.endsWith('.py') || entry.name === MANIFEST) {
      // A file that is gone by now changes the stamp as well.
      const { mtimeMs = 0, size = 0 } = await stat(path).catch(() => ({}) as { mtimeMs?: number; size?: number });
      stamps.push(`${path} ${mtimeMs} ${size}`);
    }
  }
}
