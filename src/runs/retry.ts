import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunError } from './trace.ts';

/** What a run was made in has broken, by no fault of its task's evaluators or of what its agent did. */
const BROKEN: ReadonlySet<string> = new Set([
  'browser_crashed',
  'browser_failed',
  'page_crashed',
  'desktop_crashed',
  'server_died',
  'server_start_failed',
  'container_died',
  'agent_died',
]);

/**
 * Whether another attempt may go otherwise: the browser, the environment or the agent's process died. Never where a
 * function or an action failed, a time limit was reached or memory ran out: that would happen again.
 */
export function mayGoOtherwise(error: RunError | null): boolean {
  if (error === null) return false;
  // A session that dies in the middle of a call was mostly ended by the person's own function.
  return BROKEN.has(error.code) || (error.code === 'session_died' && error.call === undefined);
}

const ATTEMPTS = 'attempts';

/** Makes room for another attempt: what there is of a run goes to `attempts/1`, the next one to `attempts/2`, … */
export async function setAside(runFolder: string): Promise<void> {
  const entries = await readdir(runFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const parts = entries.filter((name) => name !== ATTEMPTS);
  if (parts.length === 0) return;
  const earlier = join(runFolder, ATTEMPTS);
  await mkdir(earlier, { recursive: true });
  const to = join(earlier, String((await readdir(earlier)).length + 1));
  await mkdir(to);
  // What says that the run has ended goes first: whoever is killed here leaves a run that is made again.
  parts.sort((a, b) => Number(b === 'run.json') - Number(a === 'run.json'));
  for (const name of parts) await rename(join(runFolder, name), join(to, name));
}
