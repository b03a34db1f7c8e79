import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PYTHON_LIMIT = 10_000;

/** Finds the package without importing it: nothing of it runs. */
const ASK = `
import importlib.util as u
s = u.find_spec("miniwob")
print(*(s.submodule_search_locations if s and s.submodule_search_locations else []), sep="\\n")
`;

/** How the pages are had where none were found. */
export const GET_MINIWOB = [
  'Install the Python package that brings them: pip install --no-deps miniwob',
  'or set TASKWRIGHT_MINIWOB (in VS Code taskwright.miniwob.folder) to the folder that holds miniwob/ and core/.',
];

/** The folder that holds the pages of MiniWoB++, and who named it. */
export type LocatedMiniwob =
  | { readonly found: { readonly folder: string; readonly by: string } }
  | { readonly tried: readonly string[] };

/**
 * The pages of MiniWoB++: `TASKWRIGHT_MINIWOB`, else those of the Python package `miniwob` of the `python3` on the PATH,
 * which is asked in isolation (`-I`). A `TASKWRIGHT_MINIWOB` that names another folder is never passed over.
 */
export async function locateMiniwob(env: NodeJS.ProcessEnv = process.env): Promise<LocatedMiniwob> {
  const chosen = env['TASKWRIGHT_MINIWOB'];
  if (chosen !== undefined && chosen !== '') {
    for (const folder of [resolve(chosen), resolve(chosen, 'html')]) {
      if (await holdsPages(folder)) return { found: { folder, by: 'TASKWRIGHT_MINIWOB' } };
    }
    return { tried: [`TASKWRIGHT_MINIWOB names ${chosen}, which does not hold miniwob/ and core/`] };
  }
  const tried = ['TASKWRIGHT_MINIWOB (not set)'];
  for (const program of process.platform === 'win32' ? ['python3', 'python'] : ['python3']) {
    try {
      const { stdout } = await run(program, ['-I', '-c', ASK], { env, timeout: PYTHON_LIMIT, windowsHide: true });
      for (const line of stdout.split(/\r?\n/).filter((one) => one !== '')) {
        const folder = join(line, 'html');
        if (await holdsPages(folder)) return { found: { folder, by: program } };
      }
      tried.push(`the package miniwob of ${program}`);
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      tried.push(missing ? `${program} on the PATH` : `${program}, which could not be asked`);
    }
  }
  return { tried };
}

async function holdsPages(folder: string): Promise<boolean> {
  const needed = [join(folder, 'miniwob', 'click-test.html'), join(folder, 'core', 'core.js')];
  const found = await Promise.all(
    needed.map((path) =>
      stat(path).then(
        (facts) => facts.isFile(),
        () => false,
      ),
    ),
  );
  return found.every(Boolean);
}

/** Said where a task wants the pages and there are none. */
export function withoutPages(tried: readonly string[]): string {
  return ['The pages of MiniWoB++ were not found.', ...GET_MINIWOB, `Looked for: ${tried.join('; ')}.`].join('\n');
}
