import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { patient } from '../../../base/patience.ts';

const START_LIMIT = patient(15_000);

/** Whether a browser's sandbox works on this machine; if not, the reason and how to enable it. */
export type Sandbox = { readonly on: true } | { readonly on: false; readonly reason: string; readonly fix: string };

/** Tests the sandbox by starting the browser on an empty page, on systems where it may not work. */
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
    const output = String((error as { stderr?: unknown }).stderr ?? error);
    const about = output.split('\n').find((line) => /sandbox/i.test(line));
    // Other start failures are reported when a task runs.
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
