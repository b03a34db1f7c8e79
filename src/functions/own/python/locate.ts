import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

const WINDOWS = process.platform === 'win32';
const NAMES = WINDOWS ? ['python.exe', 'python3.exe'] : ['python3'];
const IN_ENVIRONMENT = WINDOWS ? ['Scripts', 'python.exe'] : ['bin', 'python3'];

/** How Python is had where none was found. */
export const GET_PYTHON =
  'Install Python 3.9 or newer (Debian: apt-get install python3), so that python3 is on the PATH.';

/**
 * The Python that functions beside tasks run in: of the nearest virtual environment `.venv` at or above their folder, else
 * the first on the PATH. Throws with words where there is none.
 */
export async function locatePython(folder: string, path = process.env['PATH'] ?? ''): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const program = join(at, '.venv', ...IN_ENVIRONMENT);
    if (await runs(program)) return program;
    if (dirname(at) === at) break;
  }
  for (const name of NAMES) {
    for (const place of path.split(delimiter)) {
      if (place !== '' && (await runs(join(place, name)))) return join(place, name);
    }
  }
  throw new Error(`Functions in Python need python3, and there is none. ${GET_PYTHON}`);
}

function runs(program: string): Promise<boolean> {
  return access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
}
