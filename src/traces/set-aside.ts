import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfNotFound } from '../base/file-kind.ts';

/** The folder of a run's earlier attempts: `1`, `2`, … */
export const ATTEMPTS = 'attempts';

/** The folders of a run's earlier attempts, the last one first. */
export async function earlierAttempts(runFolder: string): Promise<string[]> {
  const earlier = join(runFolder, ATTEMPTS);
  const count = (await readdir(earlier).catch(nullIfNotFound))?.length ?? 0;
  return Array.from({ length: count }, (_, index) => join(earlier, String(count - index)));
}

/** Moves the files of a run to `attempts/1`, `attempts/2`, … to make room for another attempt. */
export async function setAside(runFolder: string): Promise<void> {
  const entries = await readdir(runFolder).catch(nullIfNotFound);
  const parts = (entries ?? []).filter((name) => name !== ATTEMPTS);
  if (parts.length === 0) return;
  const earlier = join(runFolder, ATTEMPTS);
  await mkdir(earlier, { recursive: true });
  const to = join(earlier, String((await readdir(earlier)).length + 1));
  await mkdir(to);
  // `run.json` is moved first: if the process is killed here, the run counts as unfinished and is made again.
  parts.sort((a, b) => Number(b === 'run.json') - Number(a === 'run.json'));
  for (const name of parts) await rename(join(runFolder, name), join(to, name));
}
