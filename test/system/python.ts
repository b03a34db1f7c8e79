import { spawnSync } from 'node:child_process';
import { inCi } from '../../scripts/in-ci.ts';
import { findHudPython, HUD_0_6, isInstalled, type PythonEnvironment } from '../../scripts/python.ts';

/** Whether the `python3` on the PATH can import these; says once what is skipped where it cannot. In CI all are there. */
export function hasPython(what: string, ...modules: readonly string[]): boolean {
  const { status } = spawnSync('python3', [
    '-c',
    ['import sys', ...modules.map((name) => `import ${name}`)].join('\n'),
  ]);
  if (status === 0) return true;
  const missing = modules.length === 0 ? 'python3' : `python3 with ${modules.join(', ')}`;
  if (inCi) throw new Error(`${missing} is missing, which ${what} are tested with`);
  console.warn(`${what} are not tested: ${missing} is missing`);
  return false;
}

/** Folder of the environment of that `python3`, where `.venv` may lead to it. */
export function pythonEnvironment(): string {
  return spawnSync('python3', ['-c', 'import sys; print(sys.prefix)'], { encoding: 'utf8' }).stdout.trim();
}

/**
 * The virtual environment with a release of HUD, where `.venv` may lead to it; null where no Python is there that HUD runs
 * in, which is said once.
 */
export async function hudEnvironment(release: PythonEnvironment = HUD_0_6): Promise<string | null> {
  if (await isInstalled(release)) return release.folder;
  const { name } = release;
  if (inCi && (await findHudPython()) !== null) throw new Error(`${name} is missing, which is tested with`);
  console.warn(`Environments of ${name} are not tested: ${name} is missing, which needs Python 3.11 or 3.12`);
  return null;
}
