import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { patient } from '../../../base/patience.ts';
import { findProgram, isExecutable } from '../../../processes/programs.ts';

const run = promisify(execFile);

const WINDOWS = process.platform === 'win32';
const NAMES = WINDOWS ? ['python.exe', 'python3.exe'] : ['python3'];
const IN_ENVIRONMENT = WINDOWS ? ['Scripts', 'python.exe'] : ['bin', 'python3'];

/** What to do if Python is not found. */
export const GET_PYTHON =
  'Install Python 3.9 or newer (Debian: apt-get install python3), so that python3 is on the PATH.';

/**
 * The Python for functions files and controllers: that of the nearest virtual environment `.venv` in their folder or
 * its parents, or the first on the PATH. Throws if there is none.
 */
export async function locatePython(folder: string, path = process.env['PATH'] ?? ''): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const program = join(at, '.venv', ...IN_ENVIRONMENT);
    if (await isExecutable(program)) return program;
    if (dirname(at) === at) break;
  }
  for (const name of NAMES) {
    const program = await findProgram(name, path);
    if (program !== null) return program;
  }
  throw new Error(`Python functions and custom environments need python3, which was not found. ${GET_PYTHON}`);
}

/** Finds packages without importing them, so that none of their code runs. */
const ASK = `
import sys
sys.path.pop(0)
import importlib.util, json, platform
found = {name: importlib.util.find_spec(name) is not None for name in ("playwright", "pytest", "debugpy", "hud")}
print(json.dumps({"version": platform.python_version(), **found}))
`;
const answerSchema = z.object({
  version: z.string(),
  /** Lets functions use the live page. */
  playwright: z.boolean(),
  /** Runs the tests of coding tasks. */
  pytest: z.boolean(),
  /** Debugs functions. */
  debugpy: z.boolean(),
  /** Serves environments of HUD. */
  hud: z.boolean(),
});
const ASK_LIMIT = patient(10_000);

/** A Python installation, and which optional packages it has. */
export type PythonInstallation = Readonly<z.infer<typeof answerSchema>> & { readonly path: string };

/** The Python installation for tasks in the folder; null if there is none that works. */
export async function examinePython(folder: string): Promise<PythonInstallation | null> {
  try {
    const path = await locatePython(folder);
    const { stdout } = await run(path, ['-E', '-c', ASK], { timeout: ASK_LIMIT, windowsHide: true });
    return { path, ...answerSchema.parse(JSON.parse(stdout)) };
  } catch {
    // Python functions would fail for the same reason, with the same solution.
    return null;
  }
}
