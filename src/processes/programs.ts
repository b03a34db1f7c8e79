import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Whether a file exists and can be executed. */
export function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The path of a program; null if it is in none of the folders of `path`, which is a PATH. */
export async function findProgram(name: string, path = process.env['PATH'] ?? ''): Promise<string | null> {
  for (const folder of path.split(delimiter)) {
    const program = join(folder, name);
    if (folder !== '' && (await isExecutable(program))) return program;
  }
  return null;
}
