import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const START_LIMIT = 15_000;

/** Whether a browser's own sandbox works on this machine; where not, why, and what turns it on. */
export type Sandbox = { readonly on: true } | { readonly on: false; readonly reason: string; readonly fix: string };

/** Starts the browser once on an empty page with its sandbox, where a machine can lack one at all. */
export async function probeSandbox(path: string): Promise<Sandbox> {
  if (process.platform !== 'linux') return { on: true };
  if (process.getuid?.() === 0) {
    return { on: false, reason: 'Chromium has none for root', fix: 'Run as another user, or run tasks in Docker.' };
  }
  const profile = await mkdtemp(join(tmpdir(), 'taskwright-probe-'));
  try {
    const args = ['--headless', '--disable-gpu', '--no-first-run', `--user-data-dir=${profile}`, '--dump-dom'];
    await promisify(execFile)(path, [...args, 'about:blank'], { timeout: START_LIMIT });
    return { on: true };
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? error);
    const about = said.split('\n').find((line) => /sandbox/i.test(line));
    // A browser that does not start for another reason says so when a task is run.
    if (about === undefined) return { on: true };
    return {
      on: false,
      reason: about.replace(/^\[[^\]]*\]\s*/, '').trim(),
      fix: 'Allow user namespaces (Ubuntu: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0), or run tasks in Docker.',
    };
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  }
}
