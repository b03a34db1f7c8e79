import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { kindAt } from '../../../base/file-kind.ts';
import { patient } from '../../../base/patience.ts';

const run = promisify(execFile);
const PYTHON_LIMIT = patient(10_000);

/** Finds the package without importing it, so that none of its code runs. */
const FIND_PACKAGE = `
import importlib.util as u
s = u.find_spec("miniwob")
print(*(s.submodule_search_locations if s and s.submodule_search_locations else []), sep="\\n")
`;

/** What to do if no pages are found. */
export const GET_MINIWOB = [
  'Install the Python package that brings them: pip install --no-deps miniwob',
  'or set TASKWRIGHT_MINIWOB (in VS Code taskwright.miniwob.folder) to the folder that contains miniwob/ and core/.',
];

/** The folder with the pages of MiniWoB++, and how it was found. */
export type LocatedMiniwob =
  | { readonly found: { readonly folder: string; readonly by: string } }
  | { readonly tried: readonly string[] };

/**
 * Finds the pages of MiniWoB++: in the folder `TASKWRIGHT_MINIWOB`, or in the Python package `miniwob` of the `python3`
 * on the PATH, which runs in isolated mode (`-I`). An invalid `TASKWRIGHT_MINIWOB` is never ignored.
 */
export async function locateMiniwob(env: NodeJS.ProcessEnv = process.env): Promise<LocatedMiniwob> {
  const setting = env['TASKWRIGHT_MINIWOB'];
  if (setting !== undefined && setting !== '') {
    for (const folder of [resolve(setting), resolve(setting, 'html')]) {
      if (await holdsPages(folder)) return { found: { folder, by: 'TASKWRIGHT_MINIWOB' } };
    }
    return { tried: [`TASKWRIGHT_MINIWOB names ${setting}, which does not contain miniwob/ and core/`] };
  }
  const tried = ['TASKWRIGHT_MINIWOB (not set)'];
  for (const program of process.platform === 'win32' ? ['python3', 'python'] : ['python3']) {
    try {
      const { stdout } = await run(program, ['-I', '-c', FIND_PACKAGE], {
        env,
        timeout: PYTHON_LIMIT,
        windowsHide: true,
      });
      for (const line of stdout.split(/\r?\n/).filter((one) => one !== '')) {
        const folder = join(line, 'html');
        if (await holdsPages(folder)) return { found: { folder, by: program } };
      }
      tried.push(`the package miniwob of ${program}`);
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      tried.push(missing ? `${program} on the PATH` : `${program}, which could not be run`);
    }
  }
  return { tried };
}

async function holdsPages(folder: string): Promise<boolean> {
  const files = [join(folder, 'miniwob', 'click-test.html'), join(folder, 'core', 'core.js')];
  return (await Promise.all(files.map(kindAt))).every((kind) => kind === 'file');
}

/** The error if a task needs the pages and there are none. */
export function describeMissingPages(places: readonly string[]): string {
  return ['The pages of MiniWoB++ were not found.', ...GET_MINIWOB, `Looked for: ${places.join('; ')}.`].join('\n');
}
