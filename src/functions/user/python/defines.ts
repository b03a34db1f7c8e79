import { readOrdinaryFile } from '../../../base/file-kind.ts';
import { functionsFiles, isPython } from '../files.ts';

/** The `*.functions.py` file of the folder that seems to define the function; null if none does. */
export async function pythonFileOf(folder: string, name: string): Promise<string | null> {
  if (!/^\w+$/u.test(name)) return null;
  const definition = new RegExp(`^(?:async[ \\t]+)?def[ \\t]+${name}\\b`, 'mu');
  for (const file of await functionsFiles(folder)) {
    if (isPython(file) && definition.test((await readOrdinaryFile(file)).toString('utf8'))) return file;
  }
  return null;
}
